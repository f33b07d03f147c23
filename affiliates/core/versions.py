"""Terms that are kept as numbered versions, each in force from a moment on. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Version(Protocol):
    number: int
    effective_from: datetime


def next_version(latest: Version | None, *, now: datetime) -> tuple[int, datetime]:
    """The number of the version after the latest, and from when it is in force."""
    if latest is None:
        return 1, now
    # A clock that went back must not hide the newer version behind the older.
    return latest.number + 1, max(now, latest.effective_from)
