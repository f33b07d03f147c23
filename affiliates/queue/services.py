"""The steps of a queued row: taken, begun, finished or released, and queued again.

Each step after ``take`` is one statement that matches the row by its lease, so a process
that was presumed dead writes nothing. Any process may die between two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Q, QuerySet

from affiliates.queue.models import MAX_DETAIL, QueuedRow
from affiliates.queue.rules import QueueState, TryResult

R = TypeVar("R", bound=QueuedRow)

BATCH = 500


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


def begin(row: QueuedRow, *, until: datetime, where: Q | None = None) -> bool:
    """Begins a try: from now on it may have arrived. False if that must not be.

    Then the lease is another's by now, or the row is not as in ``where``.
    """
    count = row.attempt_count + 1
    mine = leased(row) if where is None else leased(row).filter(where)
    is_begun = mine.update(state=QueueState.SENDING, attempt_count=count, next_at=until)
    if is_begun:
        row.state, row.attempt_count, row.next_at = QueueState.SENDING, count, until
    return bool(is_begun)


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
    values = {
        "state": result.state,
        "detail": result.detail[:MAX_DETAIL],
        "next_at": result.next_at,
        "finished_at": None if result.state.is_open else now,
        **values,
    }
    is_finished = (leased(row) if rows is None else rows).update(**values)
    for name, value in values.items():
        setattr(row, name, value)
    return bool(is_finished)


def release(rows: Sequence[QueuedRow], *, now: datetime) -> None:
    """Ends a lease before its rows were begun: they are due at once."""
    if rows:
        _rows_like(rows).filter(next_at=rows[0].next_at).update(next_at=now)


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
