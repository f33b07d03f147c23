"""The database: it answers, is migrated, guards its rows and tells the same time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.core.checks import CheckMessage
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from affiliates.health.doctor.findings import (
    error,
    warning,
)
from affiliates.hooks import BESIDE, own_apps
from affiliates.verification.guards import faulty_guards

CLOCK_TOLERANCE = timedelta(seconds=5)


def connects(now: datetime) -> Iterator[CheckMessage]:
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as fault:
        yield error(
            "D001",
            f"The database does not answer: {' '.join(str(fault).split())}",
            "Start it, or mend DATABASES.",
        )


def is_migrated(now: datetime) -> Iterator[CheckMessage]:
    loader = MigrationLoader(connection)
    missing = sorted(
        f"{app}.{name}"
        for app, name in loader.graph.nodes
        if (app, name) not in loader.applied_migrations
    )
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        yield error(
            "D002",
            f"The database lacks the migration {missing[0]}{more}.",
            "Run manage.py migrate.",
        )
    known = {*loader.disk_migrations}
    for squashed in loader.replacements.values():
        known.update(squashed.replaces)
    own = {config.label for config in own_apps()}
    applied = sorted(loader.applied_migrations)
    later = [name for app, name in applied if app in own and (app, name) not in known]
    if later:
        yield warning(
            "D003",
            f"The database has the migration {later[0]}, which this code does not "
            "know: it is of a later version.",
            "Restart the processes of this machine with the later version.",
        )
    for app in sorted({app for app, _ in applied if app.startswith(BESIDE)} - own):
        yield warning(
            "D031",
            f"The tables and triggers of {app} are there, and INSTALLED_APPS has it no "
            "more.",
            f"Put it back, run manage.py affiliates_remove {app}, then take it out.",
        )


def guards_its_rows(now: datetime) -> Iterator[CheckMessage]:
    for name, fault in faulty_guards():
        yield error(
            "D004",
            f"The trigger {name} {fault}",
            "Run manage.py verify_ledger --deep, then put the trigger back as the "
            "migrations made it (docs/ledger.md).",
        )


def tells_the_time(now: datetime) -> Iterator[CheckMessage]:
    if connection.vendor != "postgresql":
        return  # SQLite asks this machine's clock.
    before = datetime.now(tz=UTC)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (there,) = cursor.fetchone()
    after = datetime.now(tz=UTC)
    away = max(there - after, before - there)
    if away > CLOCK_TOLERANCE:
        yield warning(
            "D005",
            f"The clocks of this machine and of the database are {round(away.total_seconds()):,} "
            "seconds apart: clicks and orders are compared by them.",
            "Have both set by NTP, and their hardware clocks in UTC.",
        )
