"""Makes the registered examinations: as system checks, and for the doctor."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.core.checks import CheckMessage, Tags, register
from django.db import DatabaseError, connections, router, transaction
from django.utils import timezone

from affiliates.brands.models.brand import Brand

# They register their examinations.
from affiliates.operations.health import (  # noqa: F401
    adapter,
    database,
    installed,
    keys,
    program,
    reported,
    requests,
    surroundings,
    urls,
    work,
)
from affiliates.operations.health.findings import Finding, error
from affiliates.operations.health.registry import (
    Examination,
    Needs,
    Shown,
    examinations,
)
from affiliates.operations.health.settings import unreadable


@register("affiliates")
def check_settings(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    wrong = unreadable()
    messages: list[CheckMessage] = [*wrong.values()]
    for examination in examinations():
        if examination.needs is Needs.SETTINGS and not wrong.keys() & examination.reads:
            messages.extend(examination.look())
    return messages


# Of the database: `migrate` asks it before it reads the graph and gives up.
@register(Tags.database)
def check_migrations(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    of_migrations = [
        examination
        for examination in examinations()
        if examination.needs is Needs.MIGRATIONS
    ]
    return [
        finding for of_migration in of_migrations for finding in of_migration.look()
    ]


# Not by every command, but by `migrate` and `check --database`: before it is served.
@register(Tags.database)
def check_stored(
    app_configs: Sequence[Any] | None,
    databases: Collection[str] | None = None,
    **kwargs: Any,
) -> list[CheckMessage]:
    alias = router.db_for_write(Brand)
    if alias not in (databases or ()):
        return []
    # A database that is away is `connects`' and the command's own to report.
    with suppress(DatabaseError):
        if older := [*database.made_before_release(connections[alias])]:
            return [*older]
    if unreadable() or [*keys.cookie_keys(), *keys.secret_keys()]:
        return []
    # `migrate` asks before it has made the tables.
    with suppress(DatabaseError), transaction.atomic(using=alias):
        return list(keys.stored_secrets(timezone.now()))
    return []


def examine(*, now: datetime, shown: Shown = Shown.DOCTOR) -> list[Finding]:
    """Everything that is to be mended, in the order in which it was looked at.

    Writes nothing but a number in the cache, which it takes away again. An examination
    that fails stops no other.
    """
    wrong = unreadable()
    messages = [*wrong.values()]
    for examination in examinations(shown):
        seen = (
            [] if wrong.keys() & examination.reads else list(_attempt(examination, now))
        )
        messages.extend(seen)
        if examination.needs is Needs.CONNECTION and any(
            each.is_serious() for each in seen
        ):
            break
    return [message for message in messages if message.id and not message.is_silenced()]


def _attempt(examination: Examination, now: datetime) -> Iterator[Finding]:
    look = examination.look
    try:
        for subject in _subjects(examination.needs, now):
            yield from look(*subject)
    except Exception as fault:  # noqa: BLE001 - the rest is still worth knowing
        yield error(
            "D021",
            f"{look.__module__}.{look.__name__} could not be looked at: "
            f"{type(fault).__name__}: {fault}",
            "Mend what is named above first, then ask again.",
        )


def _subjects(needs: Needs, now: datetime) -> Iterable[tuple[Any, ...]]:
    """The arguments of each call of an examination."""
    if needs <= Needs.MIGRATIONS:
        return [()]
    if needs is not Needs.BRAND:
        return [(now,)]
    active = Brand.objects.filter(is_active=True)
    return [(brand,) for brand in active.prefetch_related("domains")]
