"""Who does a job: one process at a time, and another when that one dies."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.worker import services
from affiliates.worker.models import WorkerJob
from affiliates.worker.registry import job_names
from affiliates.worker.rules import LEASE, LONGEST_RUN
from affiliates.worker.selectors import health
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture
def job(now) -> WorkerJob:
    services.add_jobs(["emails"], now=now)
    return WorkerJob.objects.get()


def take(now, holder="a") -> bool:
    job = WorkerJob.objects.get(name="emails")
    return services.take(job, every=MINUTE, holder=holder, now=now)


def finish(now, holder="a", **fields) -> bool:
    return services.finish("emails", holder=holder, every=MINUTE, now=now, **fields)


def test_new_job_is_due_at_once_and_added_once(job, now):
    services.add_jobs(["emails"], now=now + MINUTE)

    assert WorkerJob.objects.get().next_due_at == now


def test_taken_job_is_one_holders_until_its_lease_ends(job, now):
    assert take(now) is True

    assert take(now + LEASE - SECOND, "b") is False
    assert take(now + LEASE, "b") is True
    assert WorkerJob.objects.get().holder == "b"


def test_renewed_lease_lasts_longer(job, now):
    take(now)

    services.renew(["emails"], holder="a", now=now + MINUTE / 2)

    assert take(now + LEASE, "b") is False
    assert take(now + MINUTE / 2 + LEASE, "b") is True


def test_run_that_hangs_is_left_to_another_process(job, now):
    take(now)
    last = now + LONGEST_RUN - SECOND
    services.renew(["emails"], holder="a", now=last)

    services.renew(["emails"], holder="a", now=last + SECOND)

    assert take(last + LEASE - SECOND, "b") is False
    assert take(last + LEASE, "b") is True


def test_whoever_lost_the_job_neither_renews_nor_finishes(job, now):
    take(now)
    take(now + LEASE, "b")

    services.renew(["emails"], holder="a", now=now + 2 * LEASE)
    assert finish(now + LEASE, "a") is False

    job.refresh_from_db()
    assert (job.holder, job.lease_until) == ("b", now + 2 * LEASE)
    assert job.last_succeeded_at is None


def test_finished_job_is_due_after_its_pause(job, now):
    take(now)

    assert finish(now + SECOND) is True

    job.refresh_from_db()
    assert (job.holder, job.lease_until) == ("", None)
    assert (job.last_started_at, job.last_succeeded_at) == (now, now + SECOND)
    assert take(now + MINUTE) is False
    assert take(now + SECOND + MINUTE) is True


def test_failure_is_kept_until_the_next_and_shown_as_such(job, now):
    take(now)
    finish(now, error="x" * 300)
    failed = {one.name: one for one in health(now)}["emails"]
    take(now + MINUTE)
    finish(now + MINUTE)
    mended = {one.name: one for one in health(now + MINUTE)}["emails"]

    assert (failed.is_failing, failed.last_error) == (True, "x" * 200)
    assert (failed.last_failed_at, failed.last_succeeded_at) == (now, None)
    assert failed.next_due_at == now + MINUTE
    assert (mended.is_failing, mended.last_failed_at) == (False, now)


def test_job_that_was_stopped_is_due_at_once(job, now):
    take(now)
    finish(now, was_stopped=True)

    assert take(now, "b") is True


def test_shared_job_is_late_when_nobody_is_at_it(now):
    services.beat("deliveries", now=now)

    def is_late(at) -> bool:
        return {one.name: one.is_late for one in health(at)}["deliveries"]

    assert is_late(now + 2 * MINUTE) is False
    assert is_late(now + 3 * MINUTE) is True


def test_health_names_every_job_also_before_it_was_ever_done(now, register):
    register("mine", every=MINUTE, does="Nothing.")(lambda now, should_stop: "")
    services.add_jobs(["of another configuration"], now=now)

    jobs = {one.name: one for one in health(now)}

    assert list(jobs) == job_names()
    assert "mine" in jobs
    assert {one.is_late for one in jobs.values()} == {True}
    assert {one.last_started_at for one in jobs.values()} == {None}
    assert {one.outcome for one in jobs.values()} == {"never run"}


def test_health_shows_who_is_at_it(job, now):
    take(now)

    emails = {one.name: one for one in health(now)}["emails"]

    assert (emails.is_running, emails.is_late, emails.last_started_at) == (
        True,
        False,
        now,
    )


@pytest.mark.parametrize("wrong", ["next_due_at", "lease_until"])
def test_clock_that_went_wrong_stops_no_job(job, now, wrong):
    WorkerJob.objects.update(**{wrong: now + timedelta(days=365)})

    assert take(now) is True


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_many_processes_one_takes_a_job(now):
    services.add_jobs(["emails"], now=now)

    for round_ in range(5):
        at = now + round_ * LEASE
        seen = WorkerJob.objects.get()
        taken = at_once(
            8,
            lambda number, at=at, seen=seen: services.take(
                seen, every=MINUTE, holder=f"{number}", now=at
            ),
        )
        assert sorted(taken) == [False] * 7 + [True]
