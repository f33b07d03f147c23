"""Makes a partitioned table of a plain one, and partitions of months to come."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import OperationalError, transaction

from affiliates.core.days import month_start, months_later
from affiliates.core.ids import first_id_of, moment_of
from affiliates.db.partitions.parts import (
    Part,
    default_part,
    month_part,
    overlap,
    parts_of,
)

# A visit that meets the lock waits for no longer, and neither does the lock for a read.
LOCK_TIMEOUT = "200ms"
PAUSE_SECONDS = 1.0
MAX_ATTEMPTS = 600
LOCK_NOT_AVAILABLE = "55P03"

_INDEXES = (
    "SELECT c.relname, pg_get_indexdef(c.oid), indisprimary FROM pg_index"
    " JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = %s::regclass ORDER BY 1"
)


class LockUnavailable(Exception):  # noqa: N818 - says what happened
    """Long reads held the table. Nothing was changed; a later attempt may succeed."""


def adopt(connection: Any, table: str) -> None:
    """Makes the plain table the default partition of a new table of its name.

    No row is read or moved. The new table is locked for some milliseconds.
    """
    other = default_part(table)
    with locked(connection, table) as cursor:
        cursor.execute(_INDEXES, [table])
        indexes = cursor.fetchall()
        cursor.execute(f"ALTER TABLE {table} RENAME TO {other.name}")
        for name, _, _ in indexes:
            cursor.execute(f"ALTER INDEX {name} RENAME TO {name}_other")
        _create_like(cursor, table, other.name, " PARTITION BY RANGE (id)")
        for name, definition, is_primary in indexes:
            if is_primary:
                key = f"ADD CONSTRAINT {name} PRIMARY KEY (id)"
                cursor.execute(f"ALTER TABLE {table} {key}")
            else:
                _, _, what = definition.partition(" USING ")
                cursor.execute(f"CREATE INDEX {name} ON {table} USING {what}")
        attach(cursor, table, other)


def create_months(connection: Any, table: str, months: Iterable[datetime]) -> int:
    """Creates those that are missing, without a lock that visits meet.

    The default partition must have no rows of them. Returns how many were created.
    """
    existing = parts_of(connection, table)
    missing = [
        part
        for part in (month_part(table, month) for month in months)
        if not any(
            overlap(part, existing_part)
            for existing_part in existing
            if not existing_part.is_default
        )
    ]
    for part in missing:
        # Attaching it locks the default partition, and no other.
        with locked(connection, default_part(table).name) as cursor:
            create(cursor, table, part, part.name)
            attach(cursor, table, part)
    if missing:
        # Autovacuum analyses partitions alone.
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {table}")
    return len(missing)


def months_in_default(
    connection: Any, table: str, *, until: datetime
) -> list[datetime]:
    """The months before ``until`` of which the default partition has rows."""
    months: list[datetime] = []
    name, position = default_part(table).name, UUID(int=0)
    next_id = f"SELECT id FROM {name} WHERE id >= %s AND id < %s ORDER BY id LIMIT 1"  # noqa: S608 - a table's name
    with connection.cursor() as cursor:
        while True:
            cursor.execute(next_id, [position, first_id_of(until)])
            row = cursor.fetchone()
            if row is None:
                return months
            month = month_start(moment_of(row[0]))
            months.append(month)
            position = first_id_of(months_later(month, 1))


def create(cursor: Any, table: str, part: Part, name: str) -> None:
    """With a constraint of its bounds: attaching it needs to read no row."""
    _create_like(cursor, name, table, " ", indexes=True)
    if not part.is_default:
        cursor.execute(
            f"ALTER TABLE {name} ADD CONSTRAINT bounds CHECK ({part.holds()})"
        )


def _create_like(
    cursor: Any, name: str, like: str, how: str, *, indexes: bool = False
) -> None:
    what = "INCLUDING DEFAULTS INCLUDING CONSTRAINTS"
    more = " INCLUDING INDEXES" if indexes else ""
    cursor.execute(f"CREATE TABLE {name} (LIKE {like} {what}{more}){how}")


def attach(cursor: Any, table: str, part: Part) -> None:
    cursor.execute(f"ALTER TABLE {table} ATTACH PARTITION {part.name} {part.bounds}")
    if not part.is_default:
        cursor.execute(f"ALTER TABLE {part.name} DROP CONSTRAINT bounds")


@contextmanager
def locked(
    connection: Any, *tables: str, mode: str = "ACCESS EXCLUSIVE"
) -> Iterator[Any]:
    """A transaction that has locked these tables, after short attempts to."""
    names = ", ONLY ".join(tables)
    for attempt in range(MAX_ATTEMPTS):
        if attempt:
            time.sleep(PAUSE_SECONDS)
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
            try:
                with transaction.atomic(using=connection.alias):
                    cursor.execute(f"LOCK TABLE ONLY {names} IN {mode} MODE")
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", "") != LOCK_NOT_AVAILABLE:
                    raise
                continue
            yield cursor
            return
    raise LockUnavailable(f"{names} could not be locked: others read for a long time.")
