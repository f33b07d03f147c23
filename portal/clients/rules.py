"""When a session ends."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple


class SessionLimits(NamedTuple):
    """How long a session may be unused, and how long it may last in all."""

    idle: timedelta
    whole: timedelta


def session_end(
    *, begun_at: datetime, seen_at: datetime, limits: SessionLimits
) -> datetime:
    """The end of a session that was last used at ``seen_at``."""
    return min(begun_at + limits.whole, seen_at + limits.idle)
