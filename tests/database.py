"""The tests' own database: where it is, and that nothing was written to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

# Django's own bookkeeping, which no request under test has to do with.
STATIC_TABLES = {"auth.Permission", "contenttypes.ContentType"}


def database_url() -> str:
    """What DATABASE_URL must be for a process to work on it; PostgreSQL only."""
    database = connection.settings_dict
    user, password, host = (
        quote(database[part] or "", safe="") for part in ("USER", "PASSWORD", "HOST")
    )
    return f"postgres://{user}:{password}@{host}:{database['PORT']}/{database['NAME']}"


@contextmanager
def nothing_written() -> Iterator[None]:
    """No row of any table comes, goes or changes inside this block."""
    before = _all_rows()
    yield
    assert _all_rows() == before


def queries_of(call: Callable[[], object]) -> int:
    """How many statements the call makes, but those of savepoints."""
    with CaptureQueriesContext(connection) as captured:
        call()
    return sum("SAVEPOINT" not in one["sql"] for one in captured.captured_queries)


def _all_rows() -> dict[str, list[tuple[Any, ...]]]:
    # Without the ORM, which needs longer than the database for this many tables.
    tables = (
        model._meta.db_table
        for model in apps.get_models()
        if model._meta.label not in STATIC_TABLES
    )
    with connection.cursor() as cursor:
        return {table: _rows(cursor, table) for table in tables}


def _rows(cursor: Any, table: str) -> list[tuple[Any, ...]]:
    cursor.execute(f"SELECT * FROM {table} ORDER BY 1")  # noqa: S608 a table's name
    return cursor.fetchall()
