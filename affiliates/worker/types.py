"""Background jobs, their results and their state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

# The row of what no job of the worker does: ``manage.py verify_ledger`` writes it.
VERIFICATION = "verification"

Clock = Callable[[], datetime]
ShouldStop = Callable[[], bool]
Beat = Callable[[bool], None]
RunJob = Callable[[Clock, ShouldStop], str]
RunAlways = Callable[[Clock, ShouldStop, Beat], None]


class JobFailed(Exception):  # noqa: N818 - says what happened
    """Its text is what operators read; no traceback is logged."""


class UnknownJob(LookupError):  # noqa: N818 - says what happened
    """No job has this name. The text names the jobs that exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A background job, as ``registry.register`` describes it.

    ``every`` is the usual interval. The worker calls ``always``, where there is one, in
    every process until that is asked to stop; ``run`` does the same work once.
    """

    name: str
    every: timedelta
    run: RunJob
    does: str = ""
    needs: str = ""
    always: RunAlways | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The result of ``run_job``. ``report`` is empty if there was nothing to do.

    ``is_done`` is false if another process runs the job: then nothing was done.
    """

    name: str
    is_done: bool
    report: str = ""

    def __str__(self) -> str:
        if not self.is_done:
            return f"{self.name} is running elsewhere."
        return f"{self.name}: {self.report or 'nothing to do.'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The last proof of all the books. ``found`` is empty where everything agreed."""

    at: datetime
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHealth:
    """How a job goes, over all processes and schedulers. Times are None before the first.

    ``is_late``: its run is overdue and no process is at it. ``is_failing``: its last end
    was a failure, for the reason ``last_error``, which names nobody.
    """

    name: str
    every: timedelta
    does: str
    needs: str
    last_started_at: datetime | None
    last_succeeded_at: datetime | None
    last_failed_at: datetime | None
    last_error: str
    next_due_at: datetime | None
    is_running: bool
    is_late: bool
    is_failing: bool

    @property
    def outcome(self) -> str:
        """How its last run ended, in a word and the reason of a failure."""
        if self.is_failing:
            return f"failed: {self.last_error}"
        return "done" if self.last_succeeded_at else "never run"
