"""Counts this process's visits, and those answered although their click was not stored."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from enum import StrEnum
from threading import Lock
from typing import NamedTuple


class UnstoredReason(StrEnum):
    """Why: the click was not written in time, or who it names is not known here."""

    NOT_WRITTEN = "not_written"
    NOT_KNOWN = "not_known"


class Unstored(NamedTuple):
    """``counts`` since the process began, by reason; the last one's moment.

    ``visits``: all visits answered since then.
    """

    counts: dict[UnstoredReason, int]
    last_at: datetime | None
    visits: int


_lock = Lock()
_counts: Counter[UnstoredReason] = Counter()
_last_at: list[datetime] = []
_visits = 0


def count_answered() -> None:
    global _visits
    with _lock:
        _visits += 1


def count_unstored(reason: UnstoredReason, *, now: datetime) -> None:
    with _lock:
        _counts[reason] += 1
        _last_at[:] = [now]


def unstored() -> Unstored:
    with _lock:
        return Unstored(dict(_counts), next(iter(_last_at), None), _visits)
