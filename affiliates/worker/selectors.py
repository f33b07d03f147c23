from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from affiliates.worker.jobs import job_names
from affiliates.worker.models import WorkerJob
from affiliates.worker.rules import is_failing, is_late, is_leased
from affiliates.worker.types import VERIFICATION, JobHealth, Verified

Rows = Mapping[str, WorkerJob]


def rows() -> Rows:
    """For a page that asks for both of these: read once."""
    return WorkerJob.objects.in_bulk()


def health(now: datetime, known: Rows | None = None) -> list[JobHealth]:
    """Each job that this host has, by name, done already or not.

    Written by ``manage.py affiliates_worker`` alone: where the single commands do the
    work instead, every job looks late.
    """
    found = rows() if known is None else known
    return [_health(name, found.get(name), now) for name in job_names()]


def last_verification(known: Rows | None = None) -> Verified | None:
    """Of everything, not of one brand. None before the first."""
    row = (rows() if known is None else known).get(VERIFICATION)
    if row is None or row.last_started_at is None:
        return None
    has_failed = is_failing(row.last_succeeded_at, row.last_failed_at)
    return Verified(at=row.last_started_at, found=row.last_error if has_failed else "")


def _health(name: str, row: WorkerJob | None, now: datetime) -> JobHealth:
    row = row or WorkerJob(name=name)
    return JobHealth(
        name=name,
        last_started_at=row.last_started_at,
        last_succeeded_at=row.last_succeeded_at,
        last_failed_at=row.last_failed_at,
        last_error=row.last_error,
        next_due_at=row.next_due_at,
        is_running=is_leased(row.lease_until, now=now),
        is_late=is_late(row.next_due_at, lease_until=row.lease_until, now=now),
        is_failing=is_failing(row.last_succeeded_at, row.last_failed_at),
    )
