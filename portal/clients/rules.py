"""When a session ends."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

SEEN_EVERY_AT_MOST = timedelta(minutes=5)
SEEN_PER_IDLE_TIME = 12


class SessionLimits(NamedTuple):
    """How long a session may be unused, and how long it may last in all."""

    idle: timedelta
    whole: timedelta


def session_end(
    *, begun_at: datetime, seen_at: datetime, limits: SessionLimits
) -> datetime:
    """The end of a session that was last used at ``seen_at``."""
    return min(begun_at + limits.whole, seen_at + limits.idle)


def seen_interval(limits: SessionLimits) -> timedelta:
    """How often a use is written: a page writes nothing as a rule, and a session in use
    does not end."""
    return min(SEEN_EVERY_AT_MOST, limits.idle / SEEN_PER_IDLE_TIME)
