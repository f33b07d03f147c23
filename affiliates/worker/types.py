"""What the worker has to do, and how it goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

# The row of what no job of the worker does: ``manage.py verify_ledger`` writes it.
VERIFICATION = "verification"

Clock = Callable[[], datetime]
ShouldStop = Callable[[], bool]


class JobFailed(Exception):  # noqa: N818 - says what happened
    """Its text is what operators read; no traceback is logged."""


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Done by one process at a time. ``run`` says what came of it, or nothing.

    It is asked to end soon by ``ShouldStop``, and may be run again at any moment.
    """

    name: str
    every: timedelta
    run: Callable[[Clock, ShouldStop], str]


@dataclass(frozen=True, slots=True)
class SharedJob:
    """Done by every process all the time: its rows are taken one by one.

    ``run`` goes on until it is asked to stop, and reports with each round that it lives:
    True when the round succeeded.
    """

    name: str
    run: Callable[[Clock, ShouldStop, Callable[[bool], None]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The last proof of all the books. ``found`` is empty where everything agreed."""

    at: datetime
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHealth:
    """How a job goes, over all processes. Times are None before the first.

    ``is_late``: it should have been done two minutes ago, and no process is at it; so too
    when it has never been done. ``is_failing``: its last end was a failure, for the
    reason ``last_error``, which names nobody.
    """

    name: str
    last_started_at: datetime | None
    last_succeeded_at: datetime | None
    last_failed_at: datetime | None
    last_error: str
    next_due_at: datetime | None
    is_running: bool
    is_late: bool
    is_failing: bool
