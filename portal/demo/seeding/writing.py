"""Storing rendered rows: by COPY on PostgreSQL, row by row elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from portal.demo.seeding.rows import Table

FAST_PRAGMAS = (
    "journal_mode = MEMORY",
    "synchronous = OFF",
    "cache_size = -65536",
    "temp_store = MEMORY",
)
_ESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def write_rows(tables: Mapping[str, Table], texts: Mapping[str, Iterable[str]]) -> None:
    """In one transaction: foreign keys and the sums of postings are asked at its end."""
    write = _copy if connection.vendor == "postgresql" else _insert
    with transaction.atomic():
        for name, blocks in texts.items():
            write(name, tables[name].columns, blocks)


def write_values(table: str, columns: list[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes rows of ``stored`` values without tabs, line breaks and backslashes."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            _copy(table, columns, ("\t".join(map(_text, row)) for row in rows))
        else:
            _execute_for_each(table, columns, rows)


def stored(value: Any) -> Any:
    """The value as a database takes it in a statement that Django does not write."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ", "microseconds")
    return value.hex if isinstance(value, UUID) else value


@contextmanager
def fast_writes() -> Iterator[None]:
    """Makes SQLite keep its journal in memory and wait for no disk.

    A process that is killed meanwhile may leave an unreadable database.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        for pragma in FAST_PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
    try:
        yield
    finally:
        # A new connection has the settings' own pragmas. It is made at once: those that
        # begin together would lock each other out of the change to WAL.
        connection.close()
        connection.ensure_connection()


def _text(value: Any) -> str:
    if value is None:
        return "\\N"
    return str(int(value)) if isinstance(value, bool) else str(value)


def _copy(table: str, columns: list[str], blocks: Iterable[str]) -> None:
    names = ", ".join(map(connection.ops.quote_name, columns))
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
    ):
        for block in blocks:
            copy.write(f"{block}\n")


def _insert(table: str, columns: list[str], blocks: Iterable[str]) -> None:
    rows = (
        list(map(_unescaped, texts)) if "\\" in line else texts
        for block in blocks
        for line in block.split("\n")
        for texts in (line.split("\t"),)
    )
    _execute_for_each(table, columns, rows)


def _execute_for_each(
    table: str, columns: list[str], rows: Iterable[Sequence[Any]]
) -> None:
    names = ", ".join(map(connection.ops.quote_name, columns))
    places = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {table} ({names}) VALUES ({places})",  # noqa: S608 - our own names
            list(rows),
        )


def _unescaped(text: str) -> str | None:
    if text == "\\N":
        return None
    if "\\" not in text:
        return text
    texts, position = [], 0
    while position < len(text):
        pair = text[position : position + 2]
        known = _ESCAPES.get(pair)
        texts.append(known or text[position])
        position += 2 if known else 1
    return "".join(texts)
