"""The database: its settings and migrations, its guards and its clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from affiliates.db.clock import clock_skew, is_wrong
from affiliates.hooks import BESIDE, own_apps
from affiliates.operations.health.findings import Finding, error, warning
from affiliates.operations.health.registry import Needs, Shown, register
from affiliates.verification.guards import faulty_guards

DATABASES = ("postgresql", "sqlite")
OURS = "affiliates"
# It makes the brands and needs no user; every later one does. Databases from before 1.0
# have applied one of another name: the name is the stamp.
BASE = "0001_base_1_0"
FIRST = "__first__"
# Of SQLite: they take the right to write when the transaction begins.
WAITING_MODES = ("IMMEDIATE", "EXCLUSIVE")
MAX_CONNECT_SECONDS = 10
CLOCK_TOLERANCE = timedelta(seconds=5)
READY_TOO = Shown.DOCTOR | Shown.READINESS

Migrations = Mapping[tuple[str, str], Migration]


@register(Needs.SETTINGS)
def time_zones() -> Iterator[Finding]:
    if not settings.USE_TZ:
        yield error(
            "E013",
            "USE_TZ is False: every visit would fail, and nobody could say which of "
            "two clicks came first when clocks go back.",
            "Write USE_TZ = True. Django then stores UTC and shows TIME_ZONE.",
        )


@register(Needs.SETTINGS)
def databases() -> Iterator[Finding]:
    vendor = connections[DEFAULT_DB_ALIAS].vendor
    if vendor not in DATABASES:
        yield error(
            "E014",
            f'The database "{DEFAULT_DB_ALIAS}" is {vendor}: the rows of money could '
            "be changed there, and visits would fail.",
            "Use PostgreSQL or SQLite.",
        )
    own_models = [model for app in own_apps() for model in app.get_models()]
    names: dict[str, list[str]] = {}
    for model in (*own_models, get_user_model()):
        alias = router.db_for_write(model)
        if alias != DEFAULT_DB_ALIAS:
            names.setdefault(f'writes {{}} to "{alias}"', []).append(model._meta.label)
        elif not router.allow_migrate_model(DEFAULT_DB_ALIAS, model):
            names.setdefault(
                f'makes no table for {{}} in "{DEFAULT_DB_ALIAS}"', []
            ).append(model._meta.label)
    for problem, labels in names.items():
        more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        yield error(
            "E014",
            f"DATABASE_ROUTERS {problem.format(labels[0] + more)}: a sale, its "
            "commission and its client would not be of one transaction.",
            f'Have the router answer "{DEFAULT_DB_ALIAS}" to db_for_write for the user '
            "model and for every model of affiliates; replicas may be read from.",
        )


@register(Needs.SETTINGS)
def kept_connections() -> Iterator[Finding]:
    age = settings.DATABASES.get(DEFAULT_DB_ALIAS, {}).get("CONN_MAX_AGE", 0)
    if getattr(settings, "ASGI_APPLICATION", None) and age != 0:
        yield warning(
            "W009",
            f"CONN_MAX_AGE is {age} under ASGI: each request has a thread of its own, "
            "and leaves its connection behind.",
            'Write 0, and for PostgreSQL "OPTIONS": {"pool": True}.',
        )


@register(Needs.SETTINGS)
def connecting() -> Iterator[Finding]:
    connection = connections[DEFAULT_DB_ALIAS]
    options = connection.settings_dict["OPTIONS"]
    seconds = str(options.get("connect_timeout", "0"))
    if connection.vendor == "postgresql" and not (
        seconds.isdecimal() and 0 < int(seconds) <= MAX_CONNECT_SECONDS
    ):
        yield warning(
            "W002",
            "A request that connects to a silent PostgreSQL waits for minutes.",
            'Write "connect_timeout": 5 in the OPTIONS of the database, '
            f"{MAX_CONNECT_SECONDS} at most.",
        )


@register(Needs.SETTINGS)
def writing() -> Iterator[Finding]:
    """A transaction that reads before it writes is refused while another one writes."""
    connection = connections[DEFAULT_DB_ALIAS]
    mode = str(connection.settings_dict["OPTIONS"].get("transaction_mode", ""))
    if connection.vendor == "sqlite" and mode.upper() not in WAITING_MODES:
        yield warning(
            "W014",
            'SQLite refuses some writes at once with "database is locked" while the '
            "worker writes.",
            'Write "transaction_mode": "IMMEDIATE" in the OPTIONS of the database: then '
            "they wait.",
        )


@register(Needs.MIGRATIONS)
def order() -> Iterator[Finding]:
    """A user model that points at a brand: which of our migrations it may wait for.

    `makemigrations` makes it wait for our last one, which waits for the user model.
    """
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    user_app = settings.AUTH_USER_MODEL.partition(".")[0]
    for waiting, needed in circles(loader.disk_migrations, user_app=user_app):
        yield error(
            "E018",
            f"{waiting} waits for {OURS}.{needed}, and that one for the user model: "
            "nothing can be migrated.",
            f'Among the dependencies of {waiting} write ("{OURS}", "{BASE}") '
            f'in place of ("{OURS}", "{needed}").',
        )


def circles(
    migrations: Migrations, *, user_app: str
) -> Iterator[tuple[Migration, str]]:
    """Yields pairs of a migration and one of ours that wait for each other."""
    known = list(_named(migrations, (user_app, FIRST)))
    for one in known:
        for app, name in one.dependencies:
            if app != OURS:
                migration = _named(migrations, (app, name))
                known.extend(each for each in migration if each not in known)
            elif name not in (BASE, FIRST):
                yield one, name


def _named(migrations: Migrations, key: tuple[str, str]) -> Iterator[Migration]:
    app, name = key
    if name != FIRST:
        if key in migrations:
            yield migrations[key]
        return
    for migration in migrations.values():
        if migration.app_label == app and all(
            migration.app_label != of for of, _ in migration.dependencies
        ):
            yield migration


@register(Needs.CONNECTION, shown=READY_TOO)
def connects(now: datetime) -> Iterator[Finding]:
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


def made_before_release(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """Finds tables that lack columns although ``migrate`` would have nothing to do."""
    applied = MigrationRecorder(connection).applied_migrations()
    ours = {name for app, name in applied if app == OURS}
    if ours and BASE not in ours:
        yield error(
            "E023",
            "The tables of affiliates were made before 1.0, and no release migrates "
            "them.",
            "Make the database anew, and import what must be kept: docs/upgrading.md.",
        )


@register(Needs.CONNECTION, shown=READY_TOO)
def is_migrated(now: datetime) -> Iterator[Finding]:
    if older := [*made_before_release(connection)]:
        yield from older
        return
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


@register(Needs.DATABASE)
def guards_its_rows(now: datetime) -> Iterator[Finding]:
    for name, fault in faulty_guards():
        yield error(
            "D004",
            f"The trigger {name} {fault}",
            "Run manage.py verify_ledger --deep, then put the trigger back as the "
            "migrations made it (docs/ledger.md).",
        )


@register(Needs.DATABASE, shown=READY_TOO)
def tells_the_time(now: datetime) -> Iterator[Finding]:
    skew = clock_skew(connection)
    if skew > CLOCK_TOLERANCE:
        level = error if is_wrong(skew) else warning
        yield level(
            "D005",
            "The clocks of this machine and of the database are "
            f"{skew.total_seconds():,.0f} seconds apart: clicks and orders are compared "
            "by them.",
            "Have both set by NTP, and their hardware clocks in UTC.",
        )
