from __future__ import annotations

from datetime import datetime

from affiliates.worker.models import WorkerJob
from affiliates.worker.registry import registered
from affiliates.worker.rules import is_failing, is_late, is_leased, is_open
from affiliates.worker.types import VERIFICATION, Job, JobHealth, Verified


def health(now: datetime) -> list[JobHealth]:
    """Each job of this installation by name, also before its first run."""
    found = WorkerJob.objects.in_bulk()
    return [_health(job, found.get(job.name), now) for job in registered()]


def due_jobs(now: datetime) -> list[str]:
    """The names of the jobs that are due and not running."""
    found = WorkerJob.objects.in_bulk()
    return [
        job.name
        for job in registered()
        if (row := found.get(job.name)) is None
        or is_open(row.next_due_at, row.lease_until, every=job.every, now=now)
    ]


def last_verification() -> Verified | None:
    """Of everything, not of one brand. None before the first."""
    row = WorkerJob.objects.filter(name=VERIFICATION).first()
    if row is None or row.last_started_at is None:
        return None
    has_failed = is_failing(row.last_succeeded_at, row.last_failed_at)
    return Verified(at=row.last_started_at, found=row.last_error if has_failed else "")


def _health(job: Job, row: WorkerJob | None, now: datetime) -> JobHealth:
    row = row or WorkerJob(name=job.name)
    return JobHealth(
        name=job.name,
        every=job.every,
        does=job.does,
        needs=job.needs,
        last_started_at=row.last_started_at,
        last_succeeded_at=row.last_succeeded_at,
        last_failed_at=row.last_failed_at,
        last_error=row.last_error,
        next_due_at=row.next_due_at,
        is_running=is_leased(row.lease_until, now=now),
        is_late=is_late(
            row.next_due_at,
            every=job.every,
            has_run=row.last_started_at is not None,
            lease_until=row.lease_until,
            now=now,
        ),
        is_failing=is_failing(row.last_succeeded_at, row.last_failed_at),
    )
