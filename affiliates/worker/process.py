"""One process of the worker: a schedule in the main thread, a thread for each job."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from django.db import Error, close_old_connections, connections

from affiliates.worker import services
from affiliates.worker.models import WorkerJob
from affiliates.worker.rules import BEAT, RENEW_EVERY
from affiliates.worker.types import Clock, JobFailed, PeriodicJob, SharedJob

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.2
LOOK_SECONDS = 1.0
# A shared job that fails at once is not started again at once.
RESTART_LOOKS = 5
# What is still being done then is left to its lease, as after a kill.
GRACE_SECONDS = 25.0


class WorkerProcess:
    """``run`` returns soon after ``stop``, which a signal handler may call."""

    def __init__(
        self,
        *,
        periodic: Sequence[PeriodicJob],
        shared: Sequence[SharedJob],
        now: Clock,
        report: Callable[[str], None],
        look_seconds: float = LOOK_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._periodic = {job.name: job for job in periodic}
        self._shared = {job.name: job for job in shared}
        self._now = now
        self._report = report
        self._look_seconds = look_seconds
        self._grace_seconds = grace_seconds
        self._holder = (
            f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(8)}"
        )
        # No Event: one that is being waited for cannot be set by a signal handler.
        self._is_stopped = False
        self._threads: dict[str, threading.Thread] = {}
        self._renewed_at: datetime | None = None
        self._beats: dict[str, datetime] = {}

    def stop(self) -> None:
        self._is_stopped = True

    def run(self) -> list[str]:
        """Work until stopped. Returns the jobs that did not end in time."""
        looked_at = float("-inf")
        while not self._is_stopped:
            if time.monotonic() - looked_at >= self._look_seconds:
                looked_at = time.monotonic()
                _survive("schedule", self._look)
            time.sleep(TICK_SECONDS)
        return self._await_threads()

    def _look(self) -> None:
        for name, shared in self._shared.items():
            if not self._is_busy(name):
                self._start(name, partial(self._share, shared))
        now = self._now()
        self._renew(now)
        rows = WorkerJob.objects.in_bulk(list(self._periodic))
        services.add_jobs(self._periodic.keys() - rows.keys(), now=now)
        for name, row in rows.items():
            job = self._periodic[name]
            if not self._is_busy(name) and services.take(
                row, every=job.every, holder=self._holder, now=now
            ):
                self._start(name, partial(self._do, job))

    def _renew(self, now: datetime) -> None:
        if self._renewed_at is not None and now - self._renewed_at < RENEW_EVERY:
            return
        busy = [name for name in self._periodic if self._is_busy(name)]
        if busy:
            services.renew(busy, holder=self._holder, now=now)
        self._renewed_at = now

    def _is_busy(self, name: str) -> bool:
        thread = self._threads.get(name)
        return thread is not None and thread.is_alive()

    def _start(self, name: str, act: Callable[[], None]) -> None:
        # A daemon: one that hangs must not keep the process from ending.
        thread = threading.Thread(
            target=_in_thread, args=(name, act), name=name, daemon=True
        )
        self._threads[name] = thread
        thread.start()

    def _do(self, job: PeriodicJob) -> None:
        error, done = "", ""
        try:
            done = job.run(self._now, lambda: self._is_stopped)
        except Exception as fault:  # noqa: BLE001 - no job may stop the others
            error = _tell(job.name, fault)
        if done:
            self._report(f"{job.name}: {done}")
        close_old_connections()
        services.finish(
            job.name,
            holder=self._holder,
            every=job.every,
            error=error,
            was_stopped=self._is_stopped,
            now=self._now(),
        )

    def _share(self, job: SharedJob) -> None:
        try:
            job.run(self._now, lambda: self._is_stopped, partial(self._beat, job.name))
        except Exception as fault:  # noqa: BLE001 - it is started again
            error = _tell(job.name, fault)
            close_old_connections()
            services.beat(job.name, error=error, now=self._now())
            time.sleep(self._look_seconds * RESTART_LOOKS)

    def _beat(self, name: str, succeeded: bool) -> None:
        now = self._now()
        last = self._beats.get(name)
        if last is not None and now - last < BEAT:
            return
        self._beats[name] = now
        error = "" if succeeded else "A round failed: the log says why"
        _survive(name, partial(services.beat, name, error=error, now=now))

    def _await_threads(self) -> list[str]:
        deadline = time.monotonic() + self._grace_seconds
        for thread in self._threads.values():
            thread.join(max(deadline - time.monotonic(), 0))
        return [name for name in self._threads if self._is_busy(name)]


def _in_thread(name: str, act: Callable[[], None]) -> None:
    try:
        _survive(name, act)
    finally:
        connections.close_all()


def _survive(name: str, act: Callable[[], None]) -> None:
    close_old_connections()
    try:
        act()
    except Exception as fault:  # noqa: BLE001 - the next look must come
        _tell(name, fault)
        close_old_connections()


def _tell(name: str, fault: Exception) -> str:
    """To the log; returns what operators read, which names nobody."""
    if isinstance(fault, JobFailed):
        logger.warning("%s: %s", name, fault)
        return str(fault)
    if isinstance(fault, Error):
        logger.error("%s: the database failed: %s", name, type(fault).__name__)
    else:
        logger.error("%s failed", name, exc_info=fault)
    return type(fault).__name__
