"""The statements that write clicks."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import connections

from affiliates.visits.models import Click
from affiliates.visits.outbox import queue_sql
from affiliates.visits.rules import ClickRow

_BY_NAME = {field.attname: field for field in Click._meta.concrete_fields}
_FIELDS = tuple(_BY_NAME[name] for name in ClickRow._fields)


def insert_directly(row: ClickRow, connection: Any) -> None:
    """Inserts on Django's own connection, for any database, unless it was before."""
    values = [
        field.get_db_prep_save(value, connection)
        for field, value in zip(_FIELDS, row, strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_direct_sql(connection.alias), values)


@cache
def shared_sql(alias: str, count: int, *, queues: bool) -> str:
    """The INSERT of ``count`` clicks; if it queues, its last parameter is the queue."""
    numbers = iter(range(1, count * len(_FIELDS) + 1))
    rows = (
        f"({', '.join(f'${next(numbers)}' for _ in _FIELDS)})" for _ in range(count)
    )
    clicks = f"{_insert_into(alias)} VALUES {', '.join(rows)} ON CONFLICT DO NOTHING"
    if not queues:
        return clicks
    queue = queue_sql(alias, parameter=f"${count * len(_FIELDS) + 1}")
    return f"WITH queued AS ({queue}) {clicks}"


@cache
def _direct_sql(alias: str) -> str:
    values = ", ".join(["%s"] * len(_FIELDS))
    return f"{_insert_into(alias)} VALUES ({values}) ON CONFLICT DO NOTHING"


def _insert_into(alias: str) -> str:
    quote = connections[alias].ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in _FIELDS)
    return f"INSERT INTO {quote(Click._meta.db_table)} ({columns})"
