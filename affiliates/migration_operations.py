"""Migration operations in addition to Django's; hosts may use them too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import router
from django.db.migrations import AddIndex
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
        for one in self._triggers(app_label, schema_editor):
            schema_editor.execute(one.definition, params=None)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        is_postgresql = schema_editor.connection.vendor == "postgresql"
        for one in self._triggers(app_label, schema_editor):
            on_table = f" ON {one.table}" if is_postgresql else ""
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {one.name}{on_table}")
        for name, _ in self._functions(app_label, schema_editor):
            schema_editor.execute(f"DROP FUNCTION IF EXISTS {name}()")

    def describe(self) -> str:
        return "Create triggers"

    def _triggers(self, app_label: str, schema_editor: Any) -> list[Trigger]:
        connection = schema_editor.connection
        if not router.allow_migrate(connection.alias, app_label):
            return []
        return [Trigger(*one) for one in self.triggers[connection.vendor]]

    def _functions(
        self, app_label: str, schema_editor: Any
    ) -> Iterable[tuple[str, str]]:
        connection = schema_editor.connection
        is_wanted = connection.vendor == "postgresql" and router.allow_migrate(
            connection.alias, app_label
        )
        return self.functions.items() if is_wanted else ()


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
