"""The steps of a queued row: taken, begun, finished or released, and queued again.

Each step after ``take`` matches the row by its lease, so a process that was presumed dead
writes nothing. Any process may die between two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import connections, router, transaction
from django.db.models import F, Q, QuerySet

from affiliates.outbox.queue.models import MAX_DETAIL, QueuedRow
from affiliates.outbox.queue.rules import QueueState, TryResult

R = TypeVar("R", bound=QueuedRow)

BATCH = 500


class LeaseLost(Exception):  # noqa: N818 - says what happened
    """One of several rows is another process's by now: nothing was written."""


@transaction.atomic(savepoint=False)
def take(
    due: QuerySet[R],
    *,
    limit: int,
    until: datetime,
    choose: Callable[[Iterable[R]], Sequence[R]] = tuple,
) -> Sequence[R]:
    """Leases the first due rows to the caller; of these, the ones it chooses."""
    rows = choose(unlocked(due)[:limit])
    if rows:
        _rows_like(rows).update(next_at=until)
    for row in rows:
        row.next_at = until
    return rows


def unlocked(rows: QuerySet[R]) -> QuerySet[R]:
    """Locks the rows; leaves out those that another process is writing."""
    return rows.select_for_update(skip_locked=True, of=("self",), no_key=True)


def leased(row: R) -> QuerySet[R]:
    """The stored row, as long as no other process has taken it over."""
    return _rows_like([row]).filter(next_at=row.next_at)


def begin(
    row: QueuedRow, *, until: datetime, where: Q | None = None, **values: Any
) -> bool:
    """Begins a try: from now on it may have arrived. False if that must not be.

    Then the lease is another's by now, or the row is not as in ``where``. ``values`` are
    further columns to write.
    """
    count = row.attempt_count + 1
    mine = leased(row) if where is None else leased(row).filter(where)
    is_begun = mine.update(
        state=QueueState.SENDING, attempt_count=count, next_at=until, **values
    )
    if is_begun:
        row.state, row.attempt_count, row.next_at = QueueState.SENDING, count, until
    return bool(is_begun)


def begin_all(rows: Sequence[R], *, until: datetime) -> Sequence[R]:
    """Does ``begin`` for several rows in one transaction. Returns those begun."""
    if len(rows) > 1:
        try:
            _begin_together(rows, until=until)
        except LeaseLost:
            pass
        else:
            return rows
    return [row for row in rows if begin(row, until=until)]


@transaction.atomic
def _begin_together(rows: Sequence[R], *, until: datetime) -> None:
    mine = Q()
    for lease in {row.next_at for row in rows}:
        mine |= Q(
            pk__in=[row.pk for row in rows if row.next_at == lease], next_at=lease
        )
    count = (
        _rows_like(rows)
        .filter(mine)
        .update(
            state=QueueState.SENDING,
            attempt_count=F("attempt_count") + 1,
            next_at=until,
        )
    )
    if count != len(rows):
        raise LeaseLost
    for row in rows:
        row.state, row.next_at = QueueState.SENDING, until
        row.attempt_count += 1


def finish(
    row: R,
    result: TryResult,
    *,
    now: datetime,
    rows: QuerySet[R] | None = None,
    **values: Any,
) -> bool:
    """Records a result. False, and nothing written, if the lease is another's by now.

    ``rows`` finds the row in another way than by its lease.
    """
    values = {**_values_of(result, now=now), **values}
    is_finished = (leased(row) if rows is None else rows).update(**values)
    _set(row, values)
    return bool(is_finished)


def finish_all(
    finished: Sequence[tuple[R, TryResult, Mapping[str, Any]]], *, now: datetime
) -> None:
    """Does ``finish`` for several rows, with the same further columns for each.

    Raises LeaseLost; the caller rolls back. Written without the ORM, whose statement
    for each row costs more than the rest of a delivery.
    """
    rows = [row for row, _, _ in finished]
    written = [{**_values_of(result, now=now), **more} for _, result, more in finished]
    connection = connections[router.db_for_write(type(rows[0]))]
    sql, parameters = _updates(rows, written, connection)
    with connection.cursor() as cursor:
        if len(parameters) == 1:
            cursor.execute(sql, parameters[0])
        else:
            cursor.executemany(sql, parameters)
        if cursor.rowcount != len(rows):
            raise LeaseLost
    for row, values in zip(rows, written, strict=True):
        _set(row, values)


def _updates(
    rows: Sequence[R], written: Sequence[Mapping[str, Any]], connection: Any
) -> tuple[str, list[list[Any]]]:
    """A statement that writes these values to a row that is still leased, and its
    parameters for each of the rows."""
    options: Any = type(rows[0])._meta
    quote = connection.ops.quote_name
    columns = [options.get_field(name) for name in written[0]]
    key, lease = options.pk, options.get_field("next_at")
    sql = "UPDATE {} SET {} WHERE {} = %s AND {} = %s".format(  # noqa: S608 - names only
        quote(options.db_table),
        ", ".join(f"{quote(column.column)} = %s" for column in columns),
        quote(key.column),
        quote(lease.column),
    )
    fields = [*columns, key, lease]
    parameters = [
        [
            field.get_db_prep_save(value, connection)
            for field, value in zip(
                fields, [*values.values(), row.pk, row.next_at], strict=True
            )
        ]
        for row, values in zip(rows, written, strict=True)
    ]
    return sql, parameters


def _values_of(result: TryResult, *, now: datetime) -> dict[str, Any]:
    return {
        "state": result.state,
        "detail": result.detail[:MAX_DETAIL],
        "next_at": result.next_at,
        "finished_at": None if result.state.is_open else now,
    }


def _set(row: QueuedRow, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def release(rows: Collection[QueuedRow], *, now: datetime) -> None:
    """Ends a lease before its rows were begun: they are due at once."""
    for lease in {row.next_at for row in rows}:
        mine = [row for row in rows if row.next_at == lease]
        _rows_like(mine).filter(next_at=lease).update(next_at=now)


def interrupted(rows: QuerySet[R], *, now: datetime) -> QuerySet[R]:
    """Rows whose sender ended before it recorded the result."""
    return rows.filter(state=QueueState.SENDING, next_at__lte=now)


def queue_again(
    rows: QuerySet[R],
    *,
    now: datetime,
    state: QueueState = QueueState.RETRY,
    **values: Any,
) -> int:
    """Makes rows that are not being sent due at once. Returns their number."""
    return rows.update(state=state, next_at=now, finished_at=None, **values)


def finished_before(rows: QuerySet[R], *, age: timedelta, now: datetime) -> QuerySet[R]:
    return rows.filter(finished_at__lt=now - age, next_at__isnull=True)


def in_batches(rows: QuerySet[R]) -> Iterator[QuerySet[R]]:
    """The rows, BATCH at a time, so that many of them delay no sender."""
    keys = rows.order_by("pk").values_list("pk", flat=True)
    last = 0
    while batch := list(keys.filter(pk__gt=last)[:BATCH]):
        yield rows.filter(pk__in=batch)
        last = batch[-1]


def _rows_like(rows: Sequence[R]) -> QuerySet[R]:
    """These rows as they are stored."""
    model: Any = type(rows[0])
    stored: QuerySet[R] = model.objects.filter(pk__in=[row.pk for row in rows])
    return stored
