from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.operations.health import work
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.queue.rules import QueueState
from affiliates.visits.unstored import counts
from affiliates.visits.unstored.counts import UnstoredReason, count_unstored
from affiliates.worker.models import WorkerJob
from tests.factories.emails import EmailFactory
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory

pytestmark = pytest.mark.django_db

LATE, RECENT = timedelta(minutes=11), timedelta(minutes=9)


def test_jobs_that_have_never_run_are_named(db, now):
    (finding,) = work.jobs(now)

    assert (finding.id, finding.is_serious()) == ("affiliates.D018", False)
    assert finding.msg == (
        "No background job has run yet: nothing is delivered, approved or sent."
    )
    assert finding.hint.startswith("Run manage.py affiliates_worker ")


def test_jobs_that_are_late_are_named(working, now):
    assert list(work.jobs(now + timedelta(minutes=2))) == []
    WorkerJob.objects.exclude(name__in=["commissions", "emails"]).update(
        next_due_at=now + timedelta(hours=1)
    )

    (finding,) = work.jobs(now + timedelta(minutes=3))

    assert (finding.id, finding.is_serious()) == ("affiliates.D018", True)
    assert finding.msg == ("These background jobs are late: commissions, emails.")
    assert finding.hint == (
        "Run manage.py affiliates_worker as a service of its own, or have your scheduler "
        "call manage.py affiliates_run."
    )


def test_a_job_that_fails_for_long_is_named(working, now):
    WorkerJob.objects.filter(name="purge").update(
        last_failed_at=now + timedelta(seconds=1), last_error="Locked."
    )
    WorkerJob.objects.update(next_due_at=now + timedelta(hours=1))

    assert list(work.jobs(now + timedelta(minutes=9))) == []
    (finding,) = work.jobs(now + timedelta(minutes=11))

    assert (finding.id, finding.is_serious()) == ("affiliates.D018", True)
    assert finding.msg == "The background job purge fails: Locked."


@pytest.mark.parametrize(
    ("state", "age", "said"),
    [
        (QueueState.WAITING, timedelta(minutes=59), []),
        (QueueState.WAITING, timedelta(minutes=61), ["1 e-mail could not be sent"]),
        (QueueState.UNCLEAR, timedelta(days=6), ["1 e-mail of the last 7 days"]),
        (QueueState.FAILED, timedelta(days=6), ["1 e-mail of the last 7 days"]),
        (QueueState.FAILED, timedelta(days=8), []),
        (QueueState.SENT, timedelta(days=6), []),
    ],
)
def test_emails_that_did_not_arrive_are_counted(state, age, said, brand, now):
    EmailFactory(brand=brand, state=state, created_at=now - age)

    findings = list(work.emails(now))

    assert [one.id for one in findings] == ["affiliates.D022"] * len(said)
    assert all(
        one.msg.startswith(text) for one, text in zip(findings, said, strict=True)
    )


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand)


def test_what_nobody_delivers_is_named(integration, now):
    DeliveryFactory(integration=integration, created_at=now - LATE)

    (finding,) = work.deliveries(now)

    assert (finding.id, finding.is_serious()) == ("affiliates.D015", True)
    assert finding.msg == (
        f"Nobody delivers to {integration}: the oldest waits since 2026-03-01 11:49 UTC."
    )
    assert finding.hint.startswith("Run manage.py ")


def test_what_waits_for_a_moment_is_no_finding(integration, now):
    DeliveryFactory(integration=integration, created_at=now - RECENT)

    assert list(work.deliveries(now)) == []


def test_what_waits_for_an_integration_that_is_switched_off_is_no_finding(brand, now):
    integration = TrackingIntegrationFactory(brand=brand, is_active=False)
    DeliveryFactory(integration=integration, created_at=now - LATE)

    assert list(work.deliveries(now)) == []


def test_what_waits_for_an_earlier_event_of_its_subject_is_no_finding(integration, now):
    told = {"integration": integration, "operation": "event", "visitor_ref": "order:1"}
    DeliveryFactory(**told, state="retry", next_at=now + timedelta(hours=6))
    DeliveryFactory(**told, created_at=now - LATE)

    assert list(work.deliveries(now)) == []


def test_more_than_is_sent_is_a_warning(integration, now):
    IntegrationHealth.objects.create(integration=integration, last_ok_at=now - RECENT)
    DeliveryFactory(integration=integration, created_at=now - LATE)

    (finding,) = work.deliveries(now)

    assert (finding.id, finding.is_serious()) == ("affiliates.D015", False)
    assert "more comes than is sent" in finding.msg
    assert "requests per second" in finding.hint


def test_a_provider_that_does_not_answer_is_named(integration, now):
    IntegrationHealth.objects.create(
        integration=integration,
        failures=7,
        paused_until=now + timedelta(minutes=1),
        last_failure="HTTP 503.",
    )
    DeliveryFactory(integration=integration, created_at=now - LATE)

    (finding,) = work.deliveries(now)

    assert (finding.id, finding.is_serious()) == ("affiliates.D015", False)
    assert finding.msg == (
        f"{integration} does not answer: 7 failures in a row. HTTP 503."
    )


@pytest.mark.parametrize(
    ("state", "age", "count"),
    [
        (QueueState.FAILED, timedelta(days=6), 1),
        (QueueState.GIVEN_UP, timedelta(days=6), 1),
        (QueueState.GIVEN_UP, timedelta(days=8), 0),
        (QueueState.SENT, timedelta(days=6), 0),
    ],
)
def test_what_did_not_arrive_is_counted_for_a_week(state, age, count, integration, now):
    for _ in range(2 * count or 1):
        DeliveryFactory(integration=integration, state=state, created_at=now - age)

    findings = list(work.deliveries(now))

    assert [one.id for one in findings] == ["affiliates.D016"] * count
    assert all(
        one.msg.startswith("2 deliveries of the last 7 days") for one in findings
    )


def test_a_commission_that_nobody_approves_is_named(commission):
    over = commission.matures_at

    assert list(work.commissions(over + timedelta(hours=6))) == []
    (finding,) = work.commissions(over + timedelta(hours=6, seconds=1))

    assert (finding.id, finding.is_serious()) == ("affiliates.D017", True)
    assert finding.msg == (
        "The hold of 1 commission is over since 6 hours or more, and nobody approves it."
    )
    assert finding.hint.startswith("Run manage.py ")


def test_visits_without_a_click_are_counted_for_a_day(now, monkeypatch):
    monkeypatch.setattr(counts, "_counts", counts.Counter())
    monkeypatch.setattr(counts, "_last_at", [])
    assert list(work.unstored_visits(now)) == []

    monkeypatch.setattr(counts, "_visits", 1_248)
    for _ in range(2):
        counts.count_answered()
    count_unstored(UnstoredReason.NOT_WRITTEN, now=now - timedelta(hours=1))
    count_unstored(UnstoredReason.NOT_KNOWN, now=now)

    (finding,) = work.unstored_visits(now + timedelta(hours=23))
    assert (finding.id, finding.is_serious()) == ("affiliates.D023", False)
    assert finding.msg == (
        "The database was away: 2 of 1,250 visits (0.16%) of this process got no click "
        "since it began, the last at 2026-03-01 12:00 UTC."
    )
    assert list(work.unstored_visits(now + timedelta(days=1))) == []
