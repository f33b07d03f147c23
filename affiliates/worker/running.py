"""Running a job by its name, for any scheduler: ours, cron, Celery beat, Kubernetes."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

from django.utils import timezone

from affiliates.telemetry.request_ids import within_request
from affiliates.worker import services
from affiliates.worker.faults import log_fault, survive, survive_in_thread
from affiliates.worker.registry import job_named, job_names
from affiliates.worker.rules import BEAT, RENEW_EVERY
from affiliates.worker.types import Beat, Clock, Job, JobResult, ShouldStop


def run_job(
    name: str,
    *,
    now: datetime | None = None,
    should_stop: ShouldStop = lambda: False,
) -> JobResult:
    """Runs the job ``name`` once, due or not, unless another process is at it.

    Call it outside any transaction, from a task of Celery or another scheduler. It holds
    the same lease as the worker. If another process has it, nothing is done and the
    result's ``is_done`` is false. The run is recorded as the worker's are.

    ``now`` is the time that the job sees, by default the clock's. Once ``should_stop()``
    is true the job ends early, and is due again at once.

    Raises UnknownJob, which names the jobs that exist, and the job's own errors, after
    the failure is logged and recorded.
    """
    job = job_named(name)
    clock, lease_clock = _clocks(now)
    holder = new_holder()
    services.add_jobs(job_names(), now=lease_clock())
    if not services.take_now(name, holder=holder, now=lease_clock()):
        return JobResult(name=name, is_done=False)
    with _renewing(name, holder=holder, now=lease_clock):
        report = perform(
            job, holder=holder, now=clock, ended_at=lease_clock, should_stop=should_stop
        )
    return JobResult(name=name, is_done=True, report=report)


def perform(
    job: Job, *, holder: str, now: Clock, ended_at: Clock, should_stop: ShouldStop
) -> str:
    """Runs a job whose lease ``holder`` has, and gives it back. Returns its report.

    Raises what the job raises, once it is logged and recorded.
    """
    finish = partial(services.finish, job.name, holder=holder, every=job.every)
    with within_request():
        try:
            report = job.run(now, should_stop)
        except BaseException as fault:
            error = log_fault(job.name, fault)
            survive(job.name, lambda: finish(error=error, now=ended_at()))
            raise
        # What cannot be recorded is left to the end of the lease.
        survive(job.name, lambda: finish(was_stopped=should_stop(), now=ended_at()))
        return report


def beats_of(name: str, *, now: Clock) -> Beat:
    """Returns a function that records, not too often, that a process is at a shared job."""
    last: datetime | None = None

    def beat(succeeded: bool) -> None:
        nonlocal last
        at = now()
        if last is not None and at - last < BEAT:
            return
        last = at
        error = "" if succeeded else "A round failed: the log says why"
        survive(name, lambda: services.beat(name, error=error, now=at))

    return beat


def new_holder() -> str:
    """A name for this process, or this run, as the holder of leases."""
    return f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(8)}"


def _clocks(now: datetime | None) -> tuple[Clock, Clock]:
    """The clock of the job, and that of its lease, which goes on in any case."""
    if now is None:
        return timezone.now, timezone.now
    began = time.monotonic()
    return (
        lambda: now,
        lambda: now + timedelta(seconds=time.monotonic() - began),
    )


@contextmanager
def _renewing(name: str, *, holder: str, now: Clock) -> Iterator[None]:
    """Renews the lease meanwhile, in a thread that ends with the block."""
    has_ended = threading.Event()

    def renew() -> None:
        while not has_ended.wait(RENEW_EVERY.total_seconds()):
            survive(name, lambda: services.renew([name], holder=holder, now=now()))

    # A daemon: a database that hangs must not keep the process from ending.
    threading.Thread(
        target=survive_in_thread,
        args=(name, renew),
        name=f"lease of {name}",
        daemon=True,
    ).start()
    try:
        yield
    finally:
        has_ended.set()
