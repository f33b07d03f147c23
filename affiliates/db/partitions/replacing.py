"""Puts new partitions in the place of old ones, while rows are inserted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from affiliates.db.partitions.building import attach, create, locked
from affiliates.db.partitions.parts import Part, default_part

ROWS_AT_ONCE = 10_000

_COLUMNS = (
    "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass"
    " AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
)
_BEING_BUILT = (
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND NOT relispartition"
    " AND starts_with(relname, %s) AND pg_table_is_visible(oid)"
)
# It would be lost where the row has been copied already.
_REFUSE_CHANGES = (
    "IF TG_OP <> 'INSERT' THEN RAISE EXCEPTION 'Rows of % are being copied to other "
    "partitions: try again later.', TG_TABLE_NAME; END IF; "
)


def replace(
    connection: Any,
    table: str,
    old: Sequence[Part],
    new: Sequence[Part],
    *,
    keeps: str = "true",
    should_stop: Callable[[], bool] = lambda: False,
) -> float | None:
    """Puts new partitions with the rows of the old ones in their place, step by step.

    Only rows that meet ``keeps``, a condition on the alias ``source``, are copied. Rows that
    are inserted meanwhile are copied by a trigger, which refuses to change or delete rows.
    The table is locked only at the end, to exchange the partitions; returns for how many seconds, or None if it was stopped.
    An interrupted run leaves the old partitions as they were, and the next run begins
    again. Raises LockUnavailable. Outside any transaction.
    """
    drop_unfinished(connection, table)
    _build(connection, table, old, new)
    for source in old:
        for target in new:
            copied = _copy(connection, source, target, new, keeps, should_stop)
            if not copied:
                return None
    with connection.cursor() as cursor:
        for target in new:
            cursor.execute(f"VACUUM (ANALYZE) {_unfinished(target)}")
    seconds = _exchange(connection, table, old, new)
    drop_unfinished(connection, table)
    return seconds


def drop_unfinished(connection: Any, table: str) -> None:
    """Drops what an interrupted ``replace`` left behind."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP FUNCTION IF EXISTS {_copier(table)} CASCADE")
        cursor.execute(_BEING_BUILT, [f"new_{table}_"])
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TABLE {name}")


def _build(
    connection: Any, table: str, old: Sequence[Part], new: Sequence[Part]
) -> None:
    sources = (part.name for part in old)
    with locked(connection, *sources, mode="SHARE ROW EXCLUSIVE") as cursor:
        for part in new:
            create(cursor, table, part, _unfinished(part))
        cursor.execute(_COLUMNS, [table])
        columns = [name for (name,) in cursor.fetchall()]
        into, values = (
            ", ".join(columns),
            ", ".join(f"NEW.{column}" for column in columns),
        )
        copies = "".join(
            f"INSERT INTO {_unfinished(part)} ({into}) SELECT {values} "  # noqa: S608
            f"FROM (SELECT NEW.id) AS source (id) WHERE {part.holds(_others(part, new))} "
            "ON CONFLICT DO NOTHING; "  # noqa: S608
            for part in new
        )
        cursor.execute(
            f"CREATE FUNCTION {_copier(table)} RETURNS trigger LANGUAGE plpgsql AS "
            f"$$BEGIN {_REFUSE_CHANGES}{copies}RETURN NULL; END$$"
        )
        for part in old:
            cursor.execute(
                "CREATE TRIGGER copied AFTER INSERT OR UPDATE OR DELETE "
                f"ON {part.name} "
                f"FOR EACH ROW EXECUTE FUNCTION {_copier(table)}"
            )


def _copy(
    connection: Any,
    source: Part,
    target: Part,
    new: Sequence[Part],
    keeps: str,
    should_stop: Callable[[], bool],
) -> bool:
    """Whether all rows were copied, each batch in a transaction of its own."""
    rows = f"FROM {source.name} AS source WHERE {target.holds(_others(target, new))}"
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS, [source.name])
        columns = ", ".join(name for (name,) in cursor.fetchall())
        into = f"INSERT INTO {_unfinished(target)} ({columns}) SELECT {columns} {rows}"
        is_last, after = False, "true"
        while not is_last:
            if should_stop():
                return False
            cursor.execute(
                f"SELECT id {rows} AND {after} ORDER BY id "  # noqa: S608
                f"OFFSET {ROWS_AT_ONCE - 1} LIMIT 1"
            )
            last = cursor.fetchone()
            is_last = last is None
            batch = after if last is None else f"{after} AND id <= '{last[0]}'"
            cursor.execute(f"{into} AND {batch} AND ({keeps}) ON CONFLICT DO NOTHING")
            after = after if last is None else f"id > '{last[0]}'"
    return True


def _exchange(
    connection: Any, table: str, old: Sequence[Part], new: Sequence[Part]
) -> float:
    # The table last: visits wait for its lock, and not while this waits for the others.
    names = {part.name: None for part in (*old, default_part(table))}
    with locked(connection, *names, table) as cursor:
        began = time.perf_counter()
        for part in old:
            cursor.execute(f"ALTER TABLE {table} DETACH PARTITION {part.name}")
            cursor.execute(f"DROP TABLE {part.name}")
        for part in new:
            cursor.execute(f"ALTER TABLE {_unfinished(part)} RENAME TO {part.name}")
        # The default last: it is searched for rows of the others.
        for part in sorted(new, key=lambda row: row.is_default):
            attach(cursor, table, part)
    return time.perf_counter() - began


def _others(part: Part, parts: Iterable[Part]) -> list[Part]:
    return [
        other_part
        for other_part in parts
        if other_part is not part and not other_part.is_default
    ]


def _unfinished(part: Part) -> str:
    return f"new_{part.name}"


def _copier(table: str) -> str:
    return f"{table}_copies()"
