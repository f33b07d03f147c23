"""The partitions of a table of PostgreSQL, by the month in which a row's id was made.

The UUIDv7 alone decides the partition, so the primary key stays unique over all of them.
There is a partition for each month, one before them for what is kept of dropped months,
and a default for rows of months that have none yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from affiliates.core.days import month_start, months_later
from affiliates.core.ids import first_id_of

MONTHS_AHEAD = 3
_PARTS = (
    "SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits"
    " JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = %s::regclass ORDER BY 1"
)


class Part(NamedTuple):
    """A partition: ids from ``first``, before ``end``. Neither: the default."""

    name: str
    first: UUID | None = None
    end: UUID | None = None

    @property
    def is_default(self) -> bool:
        return self.first is None and self.end is None

    @property
    def bounds(self) -> str:
        if self.is_default:
            return "DEFAULT"
        first = "MINVALUE" if self.first is None else f"'{self.first}'"
        return f"FOR VALUES FROM ({first}) TO ('{self.end}')"

    def holds(self, others: Iterable[Part] = ()) -> str:
        """The condition of its rows. The default has all rows but the others'."""
        if self.is_default:
            return " AND ".join(f"NOT ({part.holds()})" for part in others) or "true"
        first = "" if self.first is None else f"id >= '{self.first}' AND "
        return f"{first}id < '{self.end}'"


def is_partitioned(connection: Any, table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relkind FROM pg_class WHERE oid = %s::regclass", [table])
        return bool(cursor.fetchone()[0] == "p")


def parts_of(connection: Any, table: str) -> list[Part]:
    with connection.cursor() as cursor:
        cursor.execute(_PARTS, [table])
        return [
            Part(name, *_bounds_in(expression))
            for name, expression in cursor.fetchall()
        ]


def month_part(table: str, month: datetime) -> Part:
    ends = first_id_of(month), first_id_of(months_later(month, 1))
    return Part(f"{table}_{month:%Y_%m}", *ends)


def kept_part(table: str, end: UUID) -> Part:
    return Part(f"{table}_kept", None, end)


def default_part(table: str) -> Part:
    return Part(f"{table}_other")


def months_ahead(now: datetime) -> list[datetime]:
    """The starts of this month and of the next that must have partitions."""
    return [months_later(month_start(now), count) for count in range(MONTHS_AHEAD + 1)]


def _bounds_in(expression: str) -> tuple[UUID | None, UUID | None]:
    ids = [UUID(text) for text in re.findall(r"'([0-9a-f-]{36})'", expression)]
    if "MINVALUE" in expression:
        return None, ids[0]
    return (ids[0], ids[1]) if ids else (None, None)


def overlap(part: Part, other: Part) -> bool:
    least, most = UUID(int=0), UUID(int=(1 << 128) - 1)
    starts = max(part.first or least, other.first or least)
    return starts < min(part.end or most, other.end or most)
