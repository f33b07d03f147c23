"""When a job is done again, and when something is wrong with it."""

from __future__ import annotations

from datetime import datetime, timedelta

# A process that has not renewed its lease for so long is presumed dead.
LEASE = timedelta(seconds=60)
RENEW_EVERY = timedelta(seconds=15)
# How often a process writes that it is at a shared job.
BEAT = timedelta(seconds=15)
LATE_AFTER = timedelta(minutes=2)
SHORTEST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(minutes=5)


def next_due(
    *, now: datetime, every: timedelta, has_failed: bool, was_stopped: bool
) -> datetime:
    """When the job is due again. What was stopped is continued at once, by another."""
    if has_failed:
        return now + max(SHORTEST_PAUSE, min(every, LONGEST_PAUSE))
    return now if was_stopped else now + every


def is_due(next_due_at: datetime, *, every: timedelta, now: datetime) -> bool:
    """Also when it is further ahead than any pause: a clock that went wrong wrote it."""
    return not now < next_due_at <= now + every + LONGEST_PAUSE


def is_leased(lease_until: datetime | None, *, now: datetime) -> bool:
    """Not when it is further ahead than any lease, for the same reason."""
    return lease_until is not None and now < lease_until <= now + 2 * LEASE


def is_late(
    next_due_at: datetime | None, *, lease_until: datetime | None, now: datetime
) -> bool:
    if is_leased(lease_until, now=now):
        return False
    return next_due_at is None or next_due_at + LATE_AFTER < now


def is_failing(succeeded_at: datetime | None, failed_at: datetime | None) -> bool:
    return failed_at is not None and (succeeded_at is None or succeeded_at < failed_at)
