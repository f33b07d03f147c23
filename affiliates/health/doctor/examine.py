"""All examinations in their order; what one cannot look at stops no other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.core.checks import CheckMessage, run_checks

from affiliates.health.doctor import (
    clients,
    database,
    hosts,
    keys,
    program,
    requests,
    surroundings,
    work,
)
from affiliates.health.doctor.findings import Examination, error


def configuration(now: datetime) -> Iterator[CheckMessage]:
    """What ``manage.py check`` says of this app."""
    yield from run_checks(tags=["affiliates"])


SURROUNDINGS: tuple[Examination, ...] = (
    configuration,
    surroundings.adapter,
    surroundings.counts,
    surroundings.mail,
    surroundings.files,
    surroundings.uploads,
)
DATABASE: tuple[Examination, ...] = (database.connects, database.is_migrated)
# Only where it answers and its tables are those of this code.
ROWS: tuple[Examination, ...] = (
    database.guards_its_rows,
    database.tells_the_time,
    program.brands,
    program.plans,
    program.bank_files,
    program.visitors,
    clients.clients,
    clients.account_credit,
    hosts.allowed_hosts,
    hosts.cookie_domain,
    keys.stored_secrets,
    keys.cookies_in_use,
    work.jobs,
    work.deliveries,
    work.commissions,
    work.emails,
    requests.calls,
)


def examine(*, now: datetime) -> list[CheckMessage]:
    """Everything that is to be mended, in the order in which it was looked at.

    Writes nothing but a number in the cache, which it takes away again.
    """
    found: list[CheckMessage] = []
    for examination in SURROUNDINGS:
        found.extend(_attempt(examination, now))
    for examination in (*DATABASE, *ROWS):
        seen = list(_attempt(examination, now))
        found.extend(seen)
        if examination in DATABASE and any(one.is_serious() for one in seen):
            break
    return [one for one in found if not one.is_silenced()]


def _attempt(examination: Examination, now: datetime) -> Iterator[CheckMessage]:
    try:
        yield from examination(now)
    except Exception as fault:  # noqa: BLE001 - the rest is still worth knowing
        name = f"{examination.__module__}.{examination.__name__}"
        yield error(
            "D021",
            f"{name} could not be looked at: {type(fault).__name__}: {fault}",
            "Mend what is named above first, then ask again.",
        )
