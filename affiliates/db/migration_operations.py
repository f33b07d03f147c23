"""Migration operations in addition to Django's; hosts may use them too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import router
from django.db.migrations import AddIndex, Migration
from django.db.migrations.operations.base import Operation
from django.utils import timezone

from affiliates.db.partitions import building, parts, replacing


class AddIndexBesideWriters(AddIndex):
    """Builds the index without blocking writers; needs ``atomic = False``.

    It may be run again after an interruption. On SQLite, which has one writer, the
    index is built as usual.
    """

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            table = schema_editor.quote_name(model._meta.db_table)
            statement = str(self.index.create_sql(model, schema_editor))
            _, _, what = statement.partition(f" ON {table} ")
            build_index(schema_editor, model._meta.db_table, self.index.name, what)


def build_index(schema_editor: Any, table: str, name: str, what: str) -> None:
    """Builds PostgreSQL's index ``ON table what`` beside writers, outside a transaction.

    Of a partitioned table each partition is indexed by itself. May be run again after an
    interruption.
    """
    connection = schema_editor.connection
    if not parts.is_partitioned(connection, table):
        with _in_place_of(name, schema_editor):
            schema_editor.execute(
                f"CREATE INDEX CONCURRENTLY {schema_editor.quote_name(name)} "
                f"ON {schema_editor.quote_name(table)} {what}"
            )
        return
    schema_editor.execute(f"DROP INDEX IF EXISTS {name}")
    schema_editor.execute(f"CREATE INDEX {name} ON ONLY {table} {what}")
    for part in parts.parts_of(connection, table):
        own = f"{part.name}_{name}"
        with _in_place_of(own, schema_editor):
            schema_editor.execute(
                f"CREATE INDEX CONCURRENTLY {own} ON {part.name} {what}"
            )
        schema_editor.execute(f"ALTER INDEX {name} ATTACH PARTITION {own}")


class Trigger(NamedTuple):
    """A trigger of one kind of database. ``function`` is its body's name, if it has one."""

    name: str
    table: str
    definition: str
    function: str = ""


def created(function: str, body: str) -> str:
    """PostgreSQL's statement that creates the function of a trigger."""
    return (
        f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger "
        f"LANGUAGE plpgsql AS $${body}$$"
    )


class ExistingTrigger(NamedTuple):
    """A trigger of the database. ``body`` is its function's; SQLite has none."""

    name: str
    table: str
    is_enabled: bool
    definition: str
    body: str


_EXISTING = {
    "postgresql": "SELECT tgname, relname, tgenabled IN ('O', 'A'),"
    " pg_get_triggerdef(pg_trigger.oid, true), prosrc FROM pg_trigger"
    " JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid"
    " WHERE NOT tgisinternal AND pg_table_is_visible(tgrelid)",
    "sqlite": "SELECT name, tbl_name, true, sql, '' FROM sqlite_master"
    " WHERE type = 'trigger'",
}


def existing_triggers(connection: Any) -> list[ExistingTrigger]:
    with connection.cursor() as cursor:
        cursor.execute(_EXISTING[connection.vendor])
        return [ExistingTrigger(*row) for row in cursor.fetchall()]


def faulty_triggers(
    connection: Any, wanted: Iterable[Trigger], functions: Mapping[str, str]
) -> Iterator[tuple[Trigger, str]]:
    """Each trigger that does not do its work, and why."""
    triggers = {
        trigger.name: (_plain(trigger.definition), _plain(trigger.body))
        for trigger in existing_triggers(connection)
        if trigger.is_enabled
    }
    for one in wanted:
        body = functions.get(one.function, "")
        if one.name not in triggers:
            yield one, "is missing or switched off"
        elif triggers[one.name] != (_plain(one.definition), _plain(body)):
            yield one, "does not do what it should"


def dropped(trigger: Trigger | ExistingTrigger, vendor: str) -> str:
    """The statement that drops a trigger, if it is there."""
    on_table = f" ON {trigger.table}" if vendor == "postgresql" else ""
    return f"DROP TRIGGER IF EXISTS {trigger.name}{on_table}"


def _plain(statement: str) -> str:
    """Normalises SQL: databases differ in quotes around names and in upper case."""
    return " ".join(statement.replace('"', "").casefold().split())


class CreateTriggers(Operation):
    """Creates triggers and the PostgreSQL functions that they call, by name and body."""

    reversible = True
    reduces_to_sql = False

    def __init__(
        self,
        *,
        functions: Mapping[str, str],
        triggers: Mapping[str, Sequence[tuple[str, ...]]],
    ) -> None:
        self.functions, self.triggers = functions, triggers

    def state_forwards(self, app_label: str, state: Any) -> None:
        """No change: models know nothing of triggers."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        for name, body in self._functions(app_label, schema_editor):
            schema_editor.execute(created(name, body), params=None)
        for trigger in self._triggers(app_label, schema_editor):
            schema_editor.execute(trigger.definition, params=None)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        for trigger in self._triggers(app_label, schema_editor):
            schema_editor.execute(dropped(trigger, schema_editor.connection.vendor))
        for name, _ in self._functions(app_label, schema_editor):
            schema_editor.execute(f"DROP FUNCTION IF EXISTS {name}()")

    def describe(self) -> str:
        return "Create triggers"

    def _triggers(self, app_label: str, schema_editor: Any) -> list[Trigger]:
        connection = schema_editor.connection
        if not router.allow_migrate(connection.alias, app_label):
            return []
        return [Trigger(*trigger) for trigger in self.triggers[connection.vendor]]

    def _functions(
        self, app_label: str, schema_editor: Any
    ) -> Iterable[tuple[str, str]]:
        connection = schema_editor.connection
        is_wanted = connection.vendor == "postgresql" and router.allow_migrate(
            connection.alias, app_label
        )
        return self.functions.items() if is_wanted else ()


class TriggerKeepingMigration(Migration):
    """The base of a migration that changes existing tables.

    SQLite changes a column by copying the table. The table's triggers would go with the
    original, and the copy could not be renamed while other triggers name it.
    """

    def apply(
        self, project_state: Any, schema_editor: Any, collect_sql: bool = False
    ) -> Any:
        with _triggers_put_back(schema_editor):
            return super().apply(project_state, schema_editor, collect_sql)

    def unapply(
        self, project_state: Any, schema_editor: Any, collect_sql: bool = False
    ) -> Any:
        with _triggers_put_back(schema_editor):
            return super().unapply(project_state, schema_editor, collect_sql)


@contextmanager
def _triggers_put_back(schema_editor: Any) -> Iterator[None]:
    """Except those whose table is gone, or that were created anew."""
    connection = schema_editor.connection
    is_copied = connection.vendor == "sqlite" and not schema_editor.collect_sql
    kept = existing_triggers(connection) if is_copied else []
    with connection.cursor() as cursor:
        for trigger in kept:
            cursor.execute(dropped(trigger, connection.vendor))
        yield
        # A trigger of a view stands in for a write.
        tables = connection.introspection.table_names(cursor, include_views=True)
        created_anew = {one.name for one in existing_triggers(connection)}
        for trigger in kept:
            if trigger.table in tables and trigger.name not in created_anew:
                cursor.execute(trigger.definition)


class PartitionByMonth(Operation):
    """Partitions the model's table by month on PostgreSQL; leaves it as it is elsewhere.

    The primary key must be a UUIDv7 named ``id``.
    """

    reversible = True
    reduces_to_sql = False

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    def state_forwards(self, app_label: str, state: Any) -> None:
        """No change: models know nothing of partitions."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if table := self._table(app_label, schema_editor, to_state):
            connection = schema_editor.connection
            building.adopt(connection, table)
            building.create_months(
                connection, table, parts.months_ahead(timezone.now())
            )

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """Partitions go with their table, and here what a stopped job left."""
        if table := self._table(app_label, schema_editor, from_state):
            replacing.drop_unfinished(schema_editor.connection, table)

    def describe(self) -> str:
        return f"Partition {self.model_name} by month"

    def _table(self, app_label: str, schema_editor: Any, state: Any) -> str:
        """Empty where nothing is partitioned."""
        connection = schema_editor.connection
        model = state.apps.get_model(app_label, self.model_name)
        is_ours = connection.vendor == "postgresql" and self.allow_migrate_model(
            connection.alias, model
        )
        return str(model._meta.db_table) if is_ours else ""


@contextmanager
def _in_place_of(index: str, schema_editor: Any) -> Iterator[None]:
    """Prepares to build this index concurrently, also after an interruption.

    The build waits for writers, but blocks nobody: it needs no lock timeout.
    """
    name = index if index.startswith('"') else schema_editor.quote_name(index)
    schema_editor.execute("SET lock_timeout = 0")
    # An interrupted build leaves an unfinished index behind.
    schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
    yield
    schema_editor.execute("RESET lock_timeout")
