"""What migrations are made of beside Django's own operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import DatabaseError, transaction
from django.db.migrations import AddIndex, RunPython


class AddIndexBesideWriters(AddIndex):
    """Builds the index while others write; its migration says ``atomic = False``."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            name = schema_editor.quote_name(self.index.name)
            # It waits for whoever writes, and nobody waits for it.
            schema_editor.execute("SET lock_timeout = 0")
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            schema_editor.add_index(model, self.index, concurrently=True)
            schema_editor.execute("RESET lock_timeout")


class AddPartsIndex(RunPython):
    """An index of the parts of texts, on PostgreSQL, for ``icontains``.

    It needs the extension pg_trgm. Where that cannot be created, for want of the right or
    of the file, there is no index: a search for parts reads the whole table.
    """

    def __init__(self, table: str, columns: Sequence[str], *, name: str) -> None:
        parts = ", ".join(f'UPPER("{one}") gin_trgm_ops' for one in columns)

        def forwards(apps: Any, schema_editor: Any) -> None:
            connection = schema_editor.connection
            if connection.vendor != "postgresql":
                return
            try:
                with transaction.atomic(using=connection.alias):
                    schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            except DatabaseError as error:
                print(f"\n  {name} is left out: {error}".rstrip())  # noqa: T201
                return
            schema_editor.execute("SET lock_timeout = 0")
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            schema_editor.execute(
                f"CREATE INDEX CONCURRENTLY {name} ON {table} USING gin ({parts})"
            )
            schema_editor.execute("RESET lock_timeout")

        def backwards(apps: Any, schema_editor: Any) -> None:
            if schema_editor.connection.vendor == "postgresql":
                schema_editor.execute(f"DROP INDEX IF EXISTS {name}")

        super().__init__(forwards, backwards)
        self._constructor_args = ((table, columns), {"name": name})
