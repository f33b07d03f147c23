"""When a job is done again, and when something is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

# A process that has not renewed its lease for so long is presumed dead.
LEASE = timedelta(seconds=60)
RENEW_EVERY = timedelta(seconds=15)
# A run that takes longer is presumed to hang: its lease is not renewed any more.
LONGEST_RUN = timedelta(hours=12)
# How often a process writes that it is at a shared job.
BEAT = timedelta(seconds=15)
LATE_AFTER = timedelta(minutes=2)
# Share of the interval: a timer in local time is an hour late once a year.
LATE_SHARE = 8
SHORTEST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(minutes=5)


def never_run() -> str:
    return "No background job has run yet: nothing is delivered, approved or sent."


def are_late(names: Sequence[str]) -> str:
    return f"These background jobs are late: {', '.join(names)}."


def fails(name: str, error: str) -> str:
    return f"The background job {name} fails: {error}"


def next_due(
    *, now: datetime, every: timedelta, has_failed: bool, was_stopped: bool
) -> datetime:
    """When the job is due again. Another process continues a stopped run at once."""
    if has_failed:
        return now + max(SHORTEST_PAUSE, min(every, LONGEST_PAUSE))
    return now if was_stopped else now + every


def is_due(next_due_at: datetime, *, every: timedelta, now: datetime) -> bool:
    """Also when it is further ahead than any pause: a clock that went wrong wrote it."""
    return not now < next_due_at <= now + every + LONGEST_PAUSE


def is_leased(lease_until: datetime | None, *, now: datetime) -> bool:
    """Not when it is further ahead than any lease, for the same reason."""
    return lease_until is not None and now < lease_until <= now + 2 * LEASE


def is_open(
    next_due_at: datetime,
    lease_until: datetime | None,
    *,
    every: timedelta,
    now: datetime,
) -> bool:
    """Whether the job is due and not running."""
    return is_due(next_due_at, every=every, now=now) and not is_leased(
        lease_until, now=now
    )


def is_late(
    next_due_at: datetime | None,
    *,
    every: timedelta,
    has_run: bool,
    lease_until: datetime | None,
    now: datetime,
) -> bool:
    """Whether a run is overdue. The first may wait for its turn in the host's schedule."""
    if is_leased(lease_until, now=now):
        return False
    if next_due_at is None:
        return True
    patience = max(LATE_AFTER, every / LATE_SHARE)
    return next_due_at + patience + (timedelta(0) if has_run else every) < now


def is_failing(succeeded_at: datetime | None, failed_at: datetime | None) -> bool:
    return failed_at is not None and (succeeded_at is None or succeeded_at < failed_at)


def in_words(every: timedelta) -> str:
    """An interval as "5 seconds" or "1 day"."""
    seconds = every.total_seconds()
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds % length == 0:
            return _counted(seconds / length, unit)
    return _counted(seconds, "second")


def _counted(count: float, unit: str) -> str:
    return f"{count:g} {unit}{'' if count == 1 else 's'}"
