"""Takes one of our apps out of the database while it is still installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import AppConfig, apps
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import QuerySet

from affiliates.brands.roles import ROLES, group_name
from affiliates.db.migration_operations import CreateTriggers, existing_triggers
from affiliates.hooks import BESIDE, CORE, own_apps

_FUNCTIONS = "SELECT proname FROM pg_proc WHERE pg_function_is_visible(oid)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """An app's objects in the database; each table with its number of rows."""

    tables: dict[str, int]
    triggers: list[str]
    functions: list[str]
    migrations: list[str]
    permissions: list[str]
    content_types: list[str]
    groups: list[str]

    def lines(self) -> Iterator[str]:
        for table, count in self.tables.items():
            yield f"table {table}: {count:,} {'row' if count == 1 else 'rows'}"
        for kind in ("trigger", "function", "migration", "permission", "content_type"):
            for name in getattr(self, f"{kind}s"):
                yield f"{kind.replace('_', ' ')} {name}"
        yield from (f"group {name}" for name in self.groups)


def holdings(config: AppConfig) -> Holdings:
    tables = _tables(config)
    permissions = _rows("auth.Permission", content_type__app_label=config.label)
    with connection.cursor() as cursor:
        return Holdings(
            tables={table: _count(cursor, table) for table in tables},
            triggers=_triggers(config, tables),
            functions=_functions(cursor, config),
            migrations=sorted(name for app, name in _applied() if app == config.label),
            permissions=_names(permissions, "codename"),
            content_types=_names(_content_types(config), "model"),
            groups=_names(_groups(config), "name"),
        )


def obstacles(config: AppConfig) -> Iterator[str]:
    """Each reason why the app cannot be removed now, and what to do about it."""
    migrated = {app for app, _ in _applied()}
    for other in own_apps():
        if config.name in getattr(other, "needs", ()) and other.label in migrated:
            yield (
                f"{other.label} needs it. Run manage.py affiliates_remove "
                f"{other.label} first."
            )
    if config.name == CORE:
        yield from _apps_beside(migrated)
    yield from _pointing_at(_tables(config))
    yield from _migrations_after(config)


def remove(config: AppConfig) -> None:
    """Requires that there are no obstacles. Completes an interrupted removal."""
    if config.label in MigrationExecutor(connection).loader.migrated_apps:
        call_command("migrate", config.label, "zero", interactive=False, verbosity=0)
    with transaction.atomic():
        # The permissions of a content type, and what grants them, are deleted with it.
        for rows in (_content_types(config), _groups(config)):
            if rows is not None:
                rows.delete()


def _apps_beside(migrated: set[str]) -> Iterator[str]:
    installed = {app.label for app in own_apps()}
    for label in sorted(label for label in migrated if label.startswith(BESIDE)):
        back = "" if label in installed else "Put it back in INSTALLED_APPS. "
        yield (
            f"{label} still has its tables. {back}Run manage.py affiliates_remove "
            f"{label} first."
        )


def _pointing_at(tables: list[str]) -> Iterator[str]:
    """Foreign keys of host tables: PostgreSQL would drop them without a word."""
    ours = {table for app in own_apps() for table in _tables(app)}
    with connection.cursor() as cursor:
        for table in sorted({*connection.introspection.table_names(cursor)} - ours):
            relations = connection.introspection.get_relations(cursor, table)
            for column, (_, target, *_) in sorted(relations.items()):
                if target in tables:
                    yield (
                        f"The foreign key {table}.{column} points at {target}. Remove "
                        "it by a migration of your own first."
                    )


def _migrations_after(config: AppConfig) -> Iterator[str]:
    """Host migrations that Django would undo, with all theirs, before it undoes these."""
    executor = MigrationExecutor(connection)
    if config.label not in executor.loader.migrated_apps:
        return
    ours = {app.label for app in own_apps()}
    for migration, _ in executor.migration_plan([(config.label, None)]):
        needed = {app for app, _ in migration.dependencies}
        if migration.app_label not in ours and config.label in needed:
            yield (
                f"The migration {migration} depends on {config.label} and would be "
                "undone too. Squash it with the later ones that need no table of it."
            )


def _tables(config: AppConfig) -> list[str]:
    models = config.get_models(include_auto_created=True)
    existing = set(connection.introspection.table_names())
    return sorted({model._meta.db_table for model in models} & existing)


def _triggers(config: AppConfig, tables: list[str]) -> list[str]:
    declared = {
        name
        for operation in _operations(config)
        for name, *_ in operation.triggers[connection.vendor]
    }
    return sorted(
        trigger.name
        for trigger in existing_triggers(connection)
        if trigger.name in declared or trigger.table in tables
    )


def _functions(cursor: Any, config: AppConfig) -> list[str]:
    if connection.vendor != "postgresql":
        return []
    declared = {
        name for operation in _operations(config) for name in operation.functions
    }
    cursor.execute(_FUNCTIONS)
    return sorted(declared & {name for (name,) in cursor.fetchall()})


def _operations(config: AppConfig) -> Iterator[CreateTriggers]:
    loader = MigrationExecutor(connection).loader
    for (app, _), migration in loader.disk_migrations.items():
        if app == config.label:
            for operation in migration.operations:
                if isinstance(operation, CreateTriggers):
                    yield operation


def _applied() -> list[tuple[str, str]]:
    return list(MigrationRecorder(connection).applied_migrations())


def _content_types(config: AppConfig) -> QuerySet[Any] | None:
    return _rows("contenttypes.ContentType", app_label=config.label)


def _groups(config: AppConfig) -> QuerySet[Any] | None:
    names = [group_name(role) for role in ROLES] if config.name == CORE else []
    return _rows("auth.Group", name__in=names)


def _rows(model: str, **wanted: Any) -> QuerySet[Any] | None:
    """None where the host has no such app."""
    try:
        rows: QuerySet[Any] = apps.get_model(model)._base_manager.filter(**wanted)
    except LookupError:
        return None
    return rows


def _names(rows: QuerySet[Any] | None, field: str) -> list[str]:
    return [] if rows is None else sorted(rows.values_list(field, flat=True))


def _count(cursor: Any, table: str) -> int:
    cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - our own table
    return int(cursor.fetchone()[0])
