"""Empties the database after a test with transactions of its own: only what it filled.

Django truncates every table, which takes PostgreSQL half a second for as many as there
are, and then writes every permission and group again. Here the first test of a process
is cleaned up after by Django; what is there then is what later tests are to find.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connections, transaction
from django.test import TransactionTestCase

from tests.append_only import without_sqlite_triggers

Rows = dict[str, list[tuple[Any, ...]]]


@contextmanager
def emptied_quickly() -> Iterator[None]:
    empty_by_django = TransactionTestCase._fixture_teardown
    clean: dict[str, Rows] = {}

    def empty(self: Any) -> None:
        aliases = self._databases_names(include_mirrors=False)
        if not all(_is_emptied(connections[one], clean.get(one)) for one in aliases):
            empty_by_django(self)
            for one in aliases:
                clean[one] = _rows(connections[one], _filled(connections[one]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


def _is_emptied(connection: Any, clean: Rows | None) -> bool:
    """Whether it is left as it was once; not where a test changed what is to stay."""
    if clean is None or _rows(connection, clean) != clean:
        return False
    filled = [table for table in _filled(connection) if table not in clean]
    if filled and connection.vendor == "postgresql":
        _delete_on_postgresql(connection, filled)
    elif filled:
        with without_sqlite_triggers(connection):
            _delete(connection, filled)
    return True


def _delete_on_postgresql(connection: Any, tables: list[str]) -> None:
    with transaction.atomic(using=connection.alias):
        _alter(connection, tables, "DISABLE TRIGGER USER")
        _delete(connection, tables)
        # A table with constraints still to be checked cannot be altered.
        connection.check_constraints()
        _alter(connection, tables, "ENABLE TRIGGER USER")


def _alter(connection: Any, tables: list[str], action: str) -> None:
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {_quoted(connection, table)} {action}")


def _delete(connection: Any, tables: list[str]) -> None:
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"DELETE FROM {_quoted(connection, table)}")  # noqa: S608 - our own tables


def _filled(connection: Any) -> list[str]:
    tables = connection.introspection.django_table_names(
        only_existing=True, include_views=False
    )
    asked = " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {_quoted(connection, table)})"  # noqa: S608 - our own tables
        for table in tables
    )
    with connection.cursor() as cursor:
        cursor.execute(asked)
        return [table for (table,) in cursor.fetchall()]


def _rows(connection: Any, tables: Any) -> Rows:
    with connection.cursor() as cursor:
        return {table: _rows_of(cursor, connection, table) for table in tables}


def _rows_of(cursor: Any, connection: Any, table: str) -> list[tuple[Any, ...]]:
    cursor.execute(f"SELECT * FROM {_quoted(connection, table)} ORDER BY 1")  # noqa: S608 - our own tables
    return [tuple(row) for row in cursor.fetchall()]


def _quoted(connection: Any, table: str) -> str:
    quoted: str = connection.ops.quote_name(table)
    return quoted
