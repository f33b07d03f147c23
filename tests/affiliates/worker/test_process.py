"""A process of the worker: its threads, its end, and what it survives."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import OperationalError, connection, connections
from django.utils import timezone

from affiliates.worker import services
from affiliates.worker.models import WorkerJob
from affiliates.worker.process import WorkerProcess
from affiliates.worker.running import run_job
from affiliates.worker.types import Job, JobFailed
from tests.races import needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]
HOUR = timedelta(hours=1)
PATIENCE_SECONDS = 60


class Running:
    def __init__(self, *jobs, grace_seconds=10.0) -> None:
        self.said: list[str] = []
        self.unfinished: list[str] | None = None
        self.process = WorkerProcess(
            jobs=jobs,
            now=timezone.now,
            report=self.said.append,
            look_seconds=0.05,
            grace_seconds=grace_seconds,
        )
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.unfinished = self.process.run()
        finally:
            connections.close_all()

    def stop(self) -> list[str] | None:
        self.process.stop()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()
        return self.unfinished


@contextmanager
def running(*jobs, **options):
    process = Running(*jobs, **options)
    try:
        yield process
    finally:
        process.stop()


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def row(name="job") -> WorkerJob | None:
    return WorkerJob.objects.filter(name=name).first()


def is_done(name="job") -> bool:
    found = row(name)
    return found is not None and found.last_succeeded_at is not None


def job(run, name="job", every=HOUR) -> Job:
    return Job(name=name, every=every, run=run)


def shared(always) -> Job:
    return Job(name="shared", every=HOUR, run=lambda *_: "", always=always)


def test_due_job_is_done_once_and_told_of():
    runs = []

    def run(now, should_stop):
        runs.append(now())
        return "1 thing done."

    with running(job(run)) as process:
        wait_for(is_done)
        time.sleep(0.5)

    assert len(runs) == 1
    assert process.said == ["job: 1 thing done."]
    assert row().next_due_at - row().last_succeeded_at == HOUR
    assert (row().holder, row().lease_until) == ("", None)


def test_two_processes_share_a_job():
    starts = []
    every = timedelta(seconds=2)

    def run(now, should_stop):
        starts.append(row().last_started_at)
        time.sleep(0.3)
        return ""

    with running(job(run, every=every)), running(job(run, every=every)):
        wait_for(lambda: len(starts) >= 2)

    # Each turn is one process's: the next comes only when it is due.
    assert all(after - before >= every for before, after in pairwise(starts))


def test_failing_job_keeps_no_other_from_its_turn(caplog):
    def crash(now, should_stop):
        raise RuntimeError("ada@example.com")

    def refuse(now, should_stop):
        raise JobFailed("The mail server cannot be used")

    with running(
        job(crash, "crash"), job(refuse, "refuse"), job(lambda *_: "", "good")
    ):
        wait_for(lambda: is_done("good"))
        wait_for(lambda: row("crash").last_failed_at and row("refuse").last_failed_at)

    assert row("crash").last_error == "RuntimeError"
    assert row("refuse").last_error == "The mail server cannot be used"
    assert "Traceback" not in row("refuse").last_error
    assert row("crash").lease_until is None


def test_slow_job_keeps_no_other_waiting_and_its_lease_is_renewed(monkeypatch):
    monkeypatch.setattr("affiliates.worker.process.RENEW_EVERY", timedelta(0))
    go_on = threading.Event()

    with running(
        job(lambda *_: str(go_on.wait(PATIENCE_SECONDS)), "slow"),
        job(lambda *_: "", "quick"),
    ):
        wait_for(lambda: is_done("quick"))
        first = row("slow").lease_until
        wait_for(lambda: row("slow").lease_until > first)
        go_on.set()
        wait_for(lambda: is_done("slow"))


def test_shared_job_reports_and_is_started_again_when_it_crashes(caplog):
    starts = []

    def run(now, should_stop, beat):
        starts.append(now())
        if len(starts) == 1:
            raise RuntimeError("ada@example.com")
        while not should_stop():
            beat(True)
            time.sleep(0.02)

    with running(shared(run)):
        wait_for(lambda: is_done("shared"))

    assert len(starts) == 2
    assert row("shared").last_error == "RuntimeError"
    assert row("shared").last_succeeded_at > row("shared").last_failed_at


def test_stopped_job_ends_soon_and_goes_to_the_next_process():
    began = threading.Event()

    def run(now, should_stop):
        began.set()
        while not should_stop():
            time.sleep(0.02)
        return ""

    # More than it is waited for: it ends by itself or fails here.
    process = Running(job(run), grace_seconds=10 * PATIENCE_SECONDS)
    assert began.wait(PATIENCE_SECONDS)

    assert process.stop() == []

    assert row().next_due_at <= timezone.now()
    assert row().lease_until is None


def test_job_that_does_not_end_is_left_to_its_lease():
    go_on = threading.Event()
    process = Running(
        job(lambda *_: str(go_on.wait(PATIENCE_SECONDS))), grace_seconds=0.2
    )
    wait_for(lambda: row() and row().lease_until)

    assert process.stop() == ["job"]

    assert row().lease_until > timezone.now()
    go_on.set()
    wait_for(is_done)


def test_lost_database_is_survived(monkeypatch, caplog):
    failures = []
    take = services.take

    def lose(job, **given):
        if len(failures) < 3:
            failures.append(job)
            connection.close()
            raise OperationalError("secret text")
        return take(job, **given)

    monkeypatch.setattr(services, "take", lose)

    with running(job(lambda *_: "")):
        wait_for(is_done)

    assert len(failures) == 3
    assert "the database failed: OperationalError" in caplog.text
    assert "secret text" not in caplog.text


def test_work_goes_on_when_the_database_has_dropped_every_connection(caplog):
    runs, rounds = [], []

    def run(now, should_stop):
        runs.append(WorkerJob.objects.count())
        return ""

    def share(now, should_stop, beat):
        while not should_stop():
            rounds.append(WorkerJob.objects.count())
            time.sleep(0.02)

    often = job(run, every=timedelta(milliseconds=100))
    with running(often, shared(share)):
        wait_for(lambda: runs and rounds)
        drop_other_connections()
        before = len(runs), len(rounds)
        wait_for(lambda: len(runs) > before[0] + 2 and len(rounds) > before[1] + 2)


def drop_other_connections() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_job_that_the_worker_is_at_is_not_run_beside_it(register):
    began, go_on = threading.Event(), threading.Event()

    @register("job", every=HOUR, does="Waits.")
    def wait(now, should_stop):
        began.set()
        return str(go_on.wait(PATIENCE_SECONDS))

    with running(job(wait)):
        assert began.wait(PATIENCE_SECONDS)
        beside = run_job("job")
        go_on.set()
        wait_for(is_done)

    assert (beside.is_done, str(beside)) == (False, "job is running elsewhere.")


def test_a_job_that_a_scheduler_is_at_is_not_run_by_the_worker(register):
    starts, go_on = [], threading.Event()

    @register("job", every=timedelta(seconds=1), does="Waits.")
    def wait(now, should_stop):
        starts.append(now())
        return str(go_on.wait(PATIENCE_SECONDS))

    def run() -> None:
        run_job("job")
        connections.close_all()

    scheduler = threading.Thread(target=run)
    scheduler.start()
    wait_for(lambda: starts)
    WorkerJob.objects.update(next_due_at=timezone.now() - HOUR)
    with running(job(wait)):
        time.sleep(0.5)
        assert len(starts) == 1
        go_on.set()
        scheduler.join(PATIENCE_SECONDS)


def test_no_scheduler_is_at_a_shared_job_while_the_worker_is(register):
    register("shared", every=HOUR, does="Shares.")(lambda now, should_stop: "")

    def share(now, should_stop, beat):
        while not should_stop():
            beat(True)
            time.sleep(0.02)

    with running(shared(share)), running(shared(share)):
        wait_for(lambda: is_done("shared"))
        beside = run_job("shared")
    after = run_job("shared")

    assert (beside.is_done, after.is_done) == (False, True)
