"""A job that is run by its name: its lease, its record, its failures."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from affiliates.worker import services
from affiliates.worker.models import WorkerJob
from affiliates.worker.registry import job_names
from affiliates.worker.rules import LEASE
from affiliates.worker.running import run_job
from affiliates.worker.selectors import health
from affiliates.worker.types import JobFailed, UnknownJob
from tests.database import nothing_written
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
PATIENCE_SECONDS = 60
RACERS = 6


@pytest.fixture
def job(register):
    """Registers this function as the job "mine", of every hour."""
    return register("mine", every=HOUR, does="Counts.")


def row() -> WorkerJob:
    return WorkerJob.objects.get(name="mine")


def is_late(at) -> bool:
    return next(one.is_late for one in health(at) if one.name == "mine")


def test_it_is_done_reported_and_recorded(job, now):
    seen = []

    @job
    def count(clock, should_stop):
        seen.append((clock(), should_stop(), row().lease_until))
        return "3 things counted."

    done = run_job("mine", now=now)

    assert (done.name, done.is_done, done.report) == ("mine", True, "3 things counted.")
    assert str(done) == "mine: 3 things counted."
    [(at, should_stop, lease_until)] = seen
    assert (at, should_stop) == (now, False)
    assert now + LEASE <= lease_until < now + LEASE + SECOND
    assert now <= row().last_started_at <= row().last_succeeded_at < now + SECOND
    assert row().next_due_at == row().last_succeeded_at + HOUR
    assert (row().holder, row().lease_until, row().last_error) == ("", None, "")


def test_without_a_time_it_is_the_clocks(job):
    job(lambda now, should_stop: f"{now():%Y}")

    assert run_job("mine").report == f"{timezone.now():%Y}"


def test_it_is_run_due_or_not(job, now):
    job(lambda now, should_stop: "")

    assert [run_job("mine", now=now).is_done for _ in range(2)] == [True, True]


def test_while_another_process_is_at_it_nothing_is_done(job, now):
    runs = []
    job(lambda now, should_stop: runs.append(now()) or "")
    services.add_jobs(job_names(), now=now)
    assert services.take_now("mine", holder="another", now=now)

    with nothing_written():
        beside = run_job("mine", now=now)

    assert (beside.is_done, beside.report, runs) == (False, "", [])
    assert str(beside) == "mine is running elsewhere."
    assert run_job("mine", now=now + LEASE).is_done is True


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (RuntimeError("ada@example.com"), "RuntimeError"),
        (JobFailed("The till is closed."), "The till is closed."),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
    ],
)
def test_a_failure_is_recorded_and_goes_to_the_caller(job, now, fault, said, caplog):
    @job
    def fail(now, should_stop):
        raise fault

    with pytest.raises(type(fault)):
        run_job("mine", now=now)

    assert (row().last_error, row().lease_until, row().holder) == (said, None, "")
    assert row().last_succeeded_at is None
    assert row().next_due_at == row().last_failed_at + timedelta(minutes=5)
    assert len(caplog.records) == 1
    assert said in caplog.text
    assert "ada@example.com" not in caplog.text


def test_a_job_that_is_asked_to_stop_is_due_again_at_once(job, now):
    job(lambda now, should_stop: "half" if should_stop() else "whole")

    done = run_job("mine", now=now, should_stop=lambda: True)

    assert done.report == "half"
    assert row().next_due_at == row().last_succeeded_at


def test_an_unknown_name_is_refused(now):
    with nothing_written(), pytest.raises(UnknownJob, match="There is no job 'mine'"):
        run_job("mine", now=now)


def test_it_is_late_when_nobody_ran_it_in_its_interval(job, now):
    job(lambda now, should_stop: "")

    run_job("mine", now=now)

    assert is_late(now + HOUR + HOUR / 8) is False
    assert is_late(now + HOUR + HOUR / 8 + SECOND) is True


def test_a_job_waits_for_its_first_turn_once_another_has_run(job, now):
    job(lambda now, should_stop: "")
    assert is_late(now) is True

    run_job("purge", now=now)

    assert is_late(now + HOUR + HOUR / 8) is False
    assert is_late(now + HOUR + HOUR / 8 + SECOND) is True


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_is_done(job):
    answered, runs = [], []

    @job
    def wait_for_the_others(now, should_stop):
        runs.append(now())
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while len(answered) < RACERS - 1:
            assert time.monotonic() < give_up_at
            time.sleep(0.01)
        return "done alone."

    def run(_: int) -> str:
        said = str(run_job("mine"))
        answered.append(said)
        return said

    said = at_once(RACERS, run)

    elsewhere = ["mine is running elsewhere."] * (RACERS - 1)
    assert sorted(said) == sorted(["mine: done alone.", *elsewhere])
    assert len(runs) == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("given", [None, timezone.now() - timedelta(days=99)])
def test_the_lease_is_renewed_meanwhile_and_not_after(job, monkeypatch, given):
    monkeypatch.setattr("affiliates.worker.running.RENEW_EVERY", timedelta(0))

    @job
    def wait_for_renewal(now, should_stop):
        first, give_up_at = row().lease_until, time.monotonic() + PATIENCE_SECONDS
        while row().lease_until == first:
            assert time.monotonic() < give_up_at
            time.sleep(0.01)
        return f"{row().lease_until > first}"

    assert run_job("mine", now=given).report == "True"
    time.sleep(0.1)
    assert row().lease_until is None
    assert not [one for one in threading.enumerate() if one.name == "lease of mine"]
