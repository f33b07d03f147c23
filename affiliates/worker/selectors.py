from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from affiliates.worker.models import WorkerJob
from affiliates.worker.registry import registered
from affiliates.worker.rules import is_failing, is_late, is_leased, is_open
from affiliates.worker.types import VERIFICATION, Job, JobHealth, Verified

JobRows = Mapping[str, WorkerJob]


def read_jobs() -> JobRows:
    return WorkerJob.objects.in_bulk()


def health(now: datetime, rows: JobRows | None = None) -> list[JobHealth]:
    """Each job of this installation by name, also before its first run."""
    job_rows = read_jobs() if rows is None else rows
    return [_health(job, job_rows.get(job.name), now) for job in registered()]


def due_jobs(now: datetime) -> list[str]:
    """The names of the jobs that are due and not running."""
    job_rows = read_jobs()
    return [
        job.name
        for job in registered()
        if (row := job_rows.get(job.name)) is None
        or is_open(row.next_due_at, row.lease_until, every=job.every, now=now)
    ]


def last_verification(rows: JobRows | None = None) -> Verified | None:
    """Returns the last verification of everything, not of one brand; None before the first."""
    row = (read_jobs() if rows is None else rows).get(VERIFICATION)
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
