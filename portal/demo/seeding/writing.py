"""Storing rendered rows: by COPY on PostgreSQL, row by row elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction

from portal.demo.seeding.rows import Table

_ESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def write_rows(tables: Mapping[str, Table], texts: Mapping[str, Iterable[str]]) -> None:
    """In one transaction: foreign keys and the sums of postings are asked at its end."""
    write = _copy if connection.vendor == "postgresql" else _insert
    with transaction.atomic():
        for name, blocks in texts.items():
            write(name, tables[name].columns, blocks)


def line_of(values: Iterable[object]) -> str:
    """Values without tabs, line breaks and backslashes, as one row."""
    return "\t".join(map(_text, values))


def _text(value: object) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ", "microseconds")
    if isinstance(value, UUID):
        return value.hex
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
    names = ", ".join(map(connection.ops.quote_name, columns))
    places = ", ".join(["%s"] * len(columns))
    rows = [
        list(map(_unescaped, texts)) if "\\" in line else texts
        for block in blocks
        for line in block.split("\n")
        for texts in (line.split("\t"),)
    ]
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {table} ({names}) VALUES ({places})",  # noqa: S608 - our own names
            rows,
        )


def _unescaped(text: str) -> str | None:
    if text == "\\N":
        return None
    if "\\" not in text:
        return text
    found, position = [], 0
    while position < len(text):
        pair = text[position : position + 2]
        known = _ESCAPES.get(pair)
        found.append(known or text[position])
        position += 2 if known else 1
    return "".join(found)
