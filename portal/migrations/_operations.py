"""Operations of migrations beside Django's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import DatabaseError, transaction
from django.db.migrations import RunPython


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
