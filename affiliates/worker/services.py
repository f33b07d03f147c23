"""Leases of jobs and their results: one update each, so nobody waits for a lock."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.db.models import QuerySet

from affiliates.worker.models import MAX_ERROR, WorkerJob
from affiliates.worker.rules import (
    BEAT,
    LEASE,
    LONGEST_RUN,
    is_leased,
    is_open,
    next_due,
)
from affiliates.worker.types import VERIFICATION

ALL_WORKERS = "all workers"


def add_jobs(names: Iterable[str], *, now: datetime) -> None:
    """Jobs without a row are due at once."""
    rows = [WorkerJob(name=name, next_due_at=now) for name in names]
    WorkerJob.objects.bulk_create(rows, ignore_conflicts=True)


def take(job: WorkerJob, *, every: timedelta, holder: str, now: datetime) -> bool:
    """Whether the job is due and the holder's alone until its lease ends."""
    if not is_open(job.next_due_at, job.lease_until, every=every, now=now):
        return False
    # A second process finds the row changed.
    as_read = WorkerJob.objects.filter(
        pk=job.pk, next_due_at=job.next_due_at, lease_until=job.lease_until
    )
    return _lease(as_read, holder=holder, now=now)


def take_now(name: str, *, holder: str, now: datetime) -> bool:
    """Whether the job, due or not, is the holder's alone until its lease ends."""
    lease_until = WorkerJob.objects.values_list("lease_until", flat=True).get(pk=name)
    if is_leased(lease_until, now=now):
        return False
    # Not by when it is due: of a shared job every process of the worker changes that.
    as_read = WorkerJob.objects.filter(pk=name, lease_until=lease_until)
    return _lease(as_read, holder=holder, now=now)


def renew(names: Collection[str], *, holder: str, now: datetime) -> None:
    """The holder is still at these jobs. Those that hang are left to other processes."""
    WorkerJob.objects.filter(
        name__in=names, holder=holder, last_started_at__gt=now - LONGEST_RUN
    ).update(lease_until=now + LEASE)


def finish(
    name: str,
    *,
    holder: str,
    every: timedelta,
    error: str = "",
    was_stopped: bool = False,
    now: datetime,
) -> bool:
    """Give the job back. False, and nothing written, when it is another's by now."""
    due = next_due(
        now=now, every=every, has_failed=bool(error), was_stopped=was_stopped
    )
    ours = WorkerJob.objects.filter(name=name, holder=holder)
    return bool(
        ours.update(holder="", lease_until=None, next_due_at=due, **_end(error, now))
    )


def beat(name: str, *, error: str = "", now: datetime) -> None:
    """A process is at this shared job, and its last round ended so.

    All processes of the worker hold its lease together, against schedulers.
    """
    _note(name, error=error, now=now, holder=ALL_WORKERS, lease_until=now + LEASE)


def leave(name: str) -> None:
    """A process is no longer at this shared job. Another takes the lease again."""
    WorkerJob.objects.filter(name=name, holder=ALL_WORKERS).update(
        holder="", lease_until=None
    )


def note_verification(*, found: str, now: datetime) -> None:
    """All the books were proved. ``found`` is empty where everything agreed."""
    _note(VERIFICATION, error=found, now=now)


def _lease(rows: QuerySet[WorkerJob], *, holder: str, now: datetime) -> bool:
    return bool(
        rows.update(holder=holder, lease_until=now + LEASE, last_started_at=now)
    )


def _note(name: str, *, error: str, now: datetime, **lease: object) -> None:
    add_jobs([name], now=now)
    WorkerJob.objects.filter(name=name).update(
        last_started_at=now, next_due_at=now + BEAT, **lease, **_end(error, now)
    )


def _end(error: str, now: datetime) -> dict[str, object]:
    if error:
        return {"last_failed_at": now, "last_error": error[:MAX_ERROR]}
    return {"last_succeeded_at": now}
