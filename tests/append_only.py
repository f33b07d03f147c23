"""Getting past the triggers that forbid changes: only tests may."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.backends.sqlite3.base import DatabaseOperations

from affiliates.verification.guards import GUARDS


@contextmanager
def unguarded() -> Iterator[None]:
    """Rows of the append-only tables may be changed, as by somebody with a shell."""
    if connection.vendor == "postgresql":
        with _disabled_on_postgresql():
            yield
    else:
        with without_sqlite_triggers(connection):
            yield


@contextmanager
def emptied_past_triggers() -> Iterator[None]:
    """Let tests with transactions of their own leave an empty SQLite behind.

    Django empties it by DELETE; PostgreSQL by TRUNCATE, which no trigger of ours minds.
    """
    empty = DatabaseOperations.execute_sql_flush

    def unguarded_empty(self: Any, statements: list[str]) -> None:
        with without_sqlite_triggers(self.connection):
            empty(self, statements)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "execute_sql_flush", unguarded_empty)
        yield


@contextmanager
def _disabled_on_postgresql() -> Iterator[None]:
    tables = [guard.table for guard in GUARDS]
    with transaction.atomic():
        _alter(tables, "DISABLE TRIGGER USER")
        yield
        _alter(tables, "ENABLE TRIGGER USER")


def _alter(tables: list[str], action: str) -> None:
    # A table with constraints still to be checked cannot be altered.
    connection.check_constraints()
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} {action}")


@contextmanager
def without_sqlite_triggers(database: Any) -> Iterator[None]:
    with transaction.atomic(using=database.alias), database.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        yield
        for _, statement in triggers:
            cursor.execute(statement)
