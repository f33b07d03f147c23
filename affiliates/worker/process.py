"""One process of the worker: a schedule in the main thread, a thread for each job."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from affiliates.worker import services
from affiliates.worker.faults import (
    drop_dead_connections,
    log_fault,
    survive,
    survive_in_thread,
)
from affiliates.worker.models import WorkerJob
from affiliates.worker.rules import RENEW_EVERY
from affiliates.worker.running import beats_of, new_holder, perform
from affiliates.worker.types import Clock, Job, RunAlways

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
        jobs: Sequence[Job],
        now: Clock,
        report: Callable[[str], None],
        look_seconds: float = LOOK_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._periodic = {job.name: job for job in jobs if job.always is None}
        self._shared = {job.name: job.always for job in jobs if job.always is not None}
        self._now = now
        self._report = report
        self._look_seconds = look_seconds
        self._grace_seconds = grace_seconds
        self._holder = new_holder()
        # No Event: one that is being waited for cannot be set by a signal handler.
        self._is_stopped = False
        self._threads: dict[str, threading.Thread] = {}
        self._renewed_at: datetime | None = None

    def stop(self) -> None:
        self._is_stopped = True

    def run(self) -> list[str]:
        """Work until stopped. Returns the jobs that did not end in time."""
        looked_at = float("-inf")
        while not self._is_stopped:
            if time.monotonic() - looked_at >= self._look_seconds:
                looked_at = time.monotonic()
                survive("schedule", self._look)
            time.sleep(TICK_SECONDS)
        return self._await_threads()

    def _look(self) -> None:
        for name, always in self._shared.items():
            if not self._is_busy(name):
                self._start(name, partial(self._share, name, always))
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
            target=survive_in_thread, args=(name, act), name=name, daemon=True
        )
        self._threads[name] = thread
        thread.start()

    def _do(self, job: Job) -> None:
        try:
            done = perform(
                job,
                holder=self._holder,
                now=self._now,
                ended_at=self._now,
                should_stop=lambda: self._is_stopped,
            )
        except Exception:  # noqa: BLE001 - recorded and logged, and no job stops another
            return
        if done:
            self._report(f"{job.name}: {done}")

    def _share(self, name: str, always: RunAlways) -> None:
        try:
            beat = beats_of(name, now=self._now)
            always(self._now, lambda: self._is_stopped, beat)
        except Exception as fault:  # noqa: BLE001 - it is started again
            error = log_fault(name, fault)
            drop_dead_connections()
            services.beat(name, error=error, now=self._now())
            time.sleep(self._look_seconds * RESTART_LOOKS)
        else:
            services.leave(name)

    def _await_threads(self) -> list[str]:
        deadline = time.monotonic() + self._grace_seconds
        for thread in self._threads.values():
            thread.join(max(deadline - time.monotonic(), 0))
        return [name for name in self._threads if self._is_busy(name)]
