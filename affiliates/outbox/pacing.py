"""How long to wait and how many deliveries to take at once: pure arithmetic."""

from __future__ import annotations

from datetime import datetime, timedelta

FIRST_BACKOFF = timedelta(seconds=30)
BACKOFF = (
    FIRST_BACKOFF,
    timedelta(minutes=2),
    timedelta(minutes=10),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)
MAX_RETRY_AFTER = timedelta(hours=24)
FAILURES_TO_OPEN = 5
FIRST_PAUSE = timedelta(seconds=5)
MAX_PAUSE = timedelta(seconds=30)
# A recovery hurries waiting deliveries, but not those that fail at every attempt.
MAX_HURRIED_ATTEMPTS = 20
MAX_HURRIED_AFTER_HICCUP = 5
MAX_LEASED = 50
# How many requests of one process to a provider are under way at the same time.
MAX_UNDER_WAY = 32


def pause_after(failures: int) -> timedelta | None:
    """How long to pause a provider after that many failures in a row; None: not yet.

    The pause is short and ends with one trial: waiting deliveries are people's income,
    and one call every half minute harms no provider.
    """
    over = failures - FAILURES_TO_OPEN
    if over < 0:
        return None
    return min(FIRST_PAUSE * (1 << min(over, 10)), MAX_PAUSE)


def was_under_way(
    *, failures: int, last_at: datetime | None, began_at: datetime
) -> bool:
    """Whether a call that failed began before the provider was paused.

    Such a failure says nothing new and does not make the pause longer.
    """
    return failures >= FAILURES_TO_OPEN and last_at is not None and began_at < last_at


def failing_from(
    *, since: datetime | None, last_at: datetime | None, now: datetime
) -> datetime:
    """When this run of failures began: now, if no call was tried for long."""
    if since and last_at and now - last_at <= 2 * MAX_RETRY_AFTER:
        return since
    return now


def hurried_attempts(failures: int) -> int:
    """Deliveries with fewer attempts are sent at once when these failures end."""
    is_outage = failures >= FAILURES_TO_OPEN
    return MAX_HURRIED_ATTEMPTS if is_outage else MAX_HURRIED_AFTER_HICCUP


def lease_size(requests_per_second: int) -> int:
    """How many deliveries to take at once: those of one second, within limits."""
    return max(1, min(requests_per_second, MAX_LEASED))


def next_width(width: int, *, is_answering: bool) -> int:
    """How many requests may be under way after these many, at the provider's answers."""
    return width * 2 if is_answering else max(1, width // 2)
