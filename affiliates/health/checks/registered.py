"""System checks: every setting, and what the host has to install beside us."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, register

from affiliates.health.checks import adapter, host, installed, migrations, urls, values

CHECKS = (
    *values.CHECKS,
    *adapter.CHECKS,
    *installed.CHECKS,
    *host.CHECKS,
    *urls.CHECKS,
)


@register("affiliates")
def check_settings(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    unreadable = values.unreadable()
    found = list(unreadable.values())
    for check in CHECKS:
        if not getattr(check, "reads", frozenset()) & unreadable.keys():
            found.extend(check())
    return found


# Of the database: `migrate` asks it before it reads the graph and gives up.
@register(Tags.database)
def check_migrations(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    return list(migrations.order())
