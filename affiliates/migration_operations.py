"""Migration operations in addition to Django's; hosts may use them too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from django.db import transaction
from django.db.migrations import AddConstraint, AddField, AddIndex
from django.db.migrations.operations.base import Operation


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
            with _in_place_of(self.index.name, schema_editor):
                schema_editor.add_index(model, self.index, concurrently=True)


class AddOneToOneWithoutIndex(AddField):
    """Adds the column without its index; a later UniqueBesideWriters adds that.

    Django's own operation reads the whole table and blocks writers. SQLite builds it at
    once.
    """

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            field: Any = copy(model._meta.get_field(self.name))
            field._unique = field.db_index = False
            before = from_state.apps.get_model(app_label, self.model_name)
            schema_editor.add_field(before, field)


class UniqueBesideWriters(Operation):
    """Makes the column unique, as Django's ``unique`` would.

    As AddIndexBesideWriters, on PostgreSQL only.
    """

    def __init__(self, model_name: str, name: str) -> None:
        self.model_name, self.name = model_name, name

    def state_forwards(self, app_label: str, state: Any) -> None:
        """No change: the field already states it."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        for table, column, name in self._named(app_label, schema_editor, to_state):
            if _has_unique(table, name, schema_editor):
                continue
            with _in_place_of(name, schema_editor):
                schema_editor.execute(
                    f"CREATE UNIQUE INDEX CONCURRENTLY {name} ON {table} ({column})"
                )
            schema_editor.execute(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE USING INDEX {name}"
            )

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        for table, _column, name in self._named(app_label, schema_editor, to_state):
            schema_editor.execute(
                f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}"
            )

    def describe(self) -> str:
        return f"Have {self.name} of {self.model_name} hold each value once"

    def _named(
        self, app_label: str, schema_editor: Any, state: Any
    ) -> Iterator[tuple[str, str, str]]:
        """The table, the column and the constraint, if there is work to do."""
        connection = schema_editor.connection
        model = state.apps.get_model(app_label, self.model_name)
        if connection.vendor == "postgresql" and self.allow_migrate_model(
            connection.alias, model
        ):
            table, column = (
                model._meta.db_table,
                model._meta.get_field(self.name).column,
            )
            quote = schema_editor.quote_name
            yield quote(table), quote(column), quote(f"{table}_{column}_key")


class ReplaceUniqueBesideWriters(AddConstraint):
    """Replaces the unique constraint of this name with a conditional one.

    As AddIndexBesideWriters; one of the two is valid at any time.
    """

    def state_forwards(self, app_label: str, state: Any) -> None:
        state.remove_constraint(app_label, self.model_name_lower, self.constraint.name)
        super().state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        if not self.allow_migrate_model(schema_editor.connection.alias, model):
            return
        old, new = (self._of(app_label, state) for state in (from_state, to_state))
        if schema_editor.connection.vendor != "postgresql":
            before = from_state.apps.get_model(app_label, self.model_name)
            schema_editor.remove_constraint(before, old)
            schema_editor.add_constraint(model, new)
            return
        beside = new.clone()
        beside.name = f"{new.name}_new"
        made = str(beside.create_sql(model, schema_editor))
        with _in_place_of(beside.name, schema_editor):
            schema_editor.execute(
                made.replace(
                    "CREATE UNIQUE INDEX", "CREATE UNIQUE INDEX CONCURRENTLY", 1
                ),
                params=None,
            )
        name, built = (schema_editor.quote_name(one.name) for one in (new, beside))
        with transaction.atomic(using=schema_editor.connection.alias):
            schema_editor.execute(f"DROP INDEX {name}")
            schema_editor.execute(f"ALTER INDEX {built} RENAME TO {name}")

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        self.database_forwards(app_label, schema_editor, from_state, to_state)

    def _of(self, app_label: str, state: Any) -> Any:
        known = state.models[app_label, self.model_name_lower]
        return known.get_constraint_by_name(self.constraint.name)


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


def _has_unique(table: str, name: str, schema_editor: Any) -> bool:
    """Whether this schema's table has it; another schema's may have one too."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT FROM pg_constraint"
            " WHERE conrelid = %s::regclass AND conname = %s AND contype = 'u'",
            [table, name.strip('"')],
        )
        return cursor.fetchone() is not None
