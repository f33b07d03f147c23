"""What waits, for how long, and whether anybody works on it: as numbers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps

from affiliates.commissions.rules import CommissionStatus
from affiliates.operations.monitoring import gauges
from affiliates.operations.monitoring.registry import GAUGES, read_all
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.queue.rules import QueueState
from affiliates.worker.models import WorkerJob
from affiliates.worker.types import VERIFICATION
from tests.factories.books import CommissionFactory
from tests.factories.emails import EmailFactory
from tests.factories.integrations import (
    DeliveryFactory,
    TrackingIntegrationFactory,
    WebhookFactory,
)

pytestmark = pytest.mark.django_db


def values(read, now):
    found = [
        (one.name.removeprefix("affiliates_"), *one.labels, one.value)
        for one in read(now)
    ]
    assert len({one[:-1] for one in found}) == len(found)
    return {one[:-1]: one[-1] for one in found}


def test_deliveries_are_counted_by_integration_and_state(brand, affiliate, now):
    pap = TrackingIntegrationFactory(brand=brand)
    own = WebhookFactory(brand=brand, affiliate=affiliate)
    for state in (QueueState.WAITING, QueueState.RETRY, QueueState.FAILED):
        DeliveryFactory(integration=pap, state=state, created_at=now)
    DeliveryFactory(integration=pap, state=QueueState.SENT, created_at=now)
    for next_at in (now, None):
        DeliveryFactory(
            integration=pap, state=QueueState.UNCLEAR, created_at=now, next_at=next_at
        )
    long_ago = now - timedelta(days=8)
    DeliveryFactory(integration=pap, state=QueueState.FAILED, created_at=long_ago)
    DeliveryFactory.create_batch(2, integration=own, created_at=long_ago)

    pap_id = str(pap.pk)
    assert values(gauges.deliveries, now) == {
        ("deliveries", pap_id, "pap", "waiting"): 1,
        ("deliveries", pap_id, "pap", "retry"): 1,
        ("deliveries", pap_id, "pap", "failed"): 1,
        ("deliveries", pap_id, "pap", "unclear"): 2,
        ("deliveries", "affiliates", "webhook", "waiting"): 2,
    }


def test_what_waits_for_an_earlier_delivery_is_not_overdue(brand, now):
    pap = TrackingIntegrationFactory(brand=brand)
    labels = str(pap.pk), "pap"
    DeliveryFactory(
        integration=pap, created_at=now - timedelta(hours=2), next_at=now + timedelta(1)
    )
    DeliveryFactory(integration=pap, created_at=now - timedelta(hours=1))
    oldest = ("delivery_oldest_due_seconds", *labels)
    assert values(gauges.integrations, now)[oldest] == 0

    DeliveryFactory(
        integration=pap, created_at=now - timedelta(minutes=3), visitor_ref="another"
    )

    assert values(gauges.integrations, now)[oldest] == 180


def test_a_paused_integration_is_shown(brand, now):
    pap = TrackingIntegrationFactory(brand=brand)
    health = IntegrationHealth.of_all.create(
        integration=pap,
        paused_until=now + timedelta(seconds=5),
        failing_since=now - timedelta(minutes=10),
    )
    labels = str(pap.pk), "pap"

    assert values(gauges.integrations, now) == {
        ("delivery_oldest_due_seconds", *labels): 0,
        ("integration_failing_seconds", *labels): 600,
        ("integration_paused", *labels): 1,
    }
    assert not health.failures
    later = values(gauges.integrations, now + timedelta(seconds=6))
    assert later["integration_paused", *labels] == 0


def test_webhooks_of_affiliates_have_no_series_of_their_own(brand, affiliate, now):
    WebhookFactory(brand=brand, affiliate=affiliate)

    assert values(gauges.integrations, now) == {}


def test_emails_are_counted_by_state(brand, now):
    EmailFactory.create_batch(2, brand=brand, created_at=now - timedelta(minutes=5))
    for state, age in (
        (QueueState.SENT, timedelta(hours=23)),
        (QueueState.SENT, timedelta(hours=25)),
        (QueueState.UNCLEAR, timedelta(hours=1)),
    ):
        EmailFactory(brand=brand, state=state, created_at=now - age)

    assert values(gauges.emails, now) == {
        ("emails", "waiting"): 2,
        ("emails", "sent"): 1,
        ("emails", "unclear"): 1,
        ("email_oldest_waiting_seconds",): 300,
    }


def test_commissions_whose_hold_is_over_are_counted(affiliate, now):
    for age, status in (
        (timedelta(hours=2), CommissionStatus.PENDING),
        (timedelta(hours=1), CommissionStatus.PENDING),
        (timedelta(hours=3), CommissionStatus.APPROVED),
        (-timedelta(hours=1), CommissionStatus.PENDING),
    ):
        CommissionFactory(affiliate=affiliate, status=status, matures_at=now - age)

    assert values(gauges.commissions, now) == {
        ("commissions_overdue",): 2,
        ("commission_oldest_overdue_seconds",): 7200,
    }


def test_jobs_that_are_late_or_fail_are_shown(now):
    WorkerJob.objects.create(
        name="purge",
        next_due_at=now - timedelta(days=2),
        last_started_at=now - timedelta(days=3),
        last_succeeded_at=now - timedelta(days=3),
        last_failed_at=now - timedelta(days=2),
        last_error="Locked.",
    )

    found = values(gauges.jobs, now)

    assert found["job_age_seconds", "purge"] == 3 * 86_400
    assert (found["job_late", "purge"], found["job_failing", "purge"]) == (1, 1)
    assert found["job_failing", "emails"] == 0
    assert ("job_age_seconds", "emails") not in found


def test_the_age_of_the_verification_is_absent_before_the_first(now):
    assert values(gauges.verification, now) == {}
    WorkerJob.objects.create(
        name=VERIFICATION,
        next_due_at=now,
        last_started_at=now - timedelta(hours=4),
        last_failed_at=now - timedelta(hours=3),
        last_error="2 violations",
    )

    assert values(gauges.verification, now) == {
        ("verification_age_seconds",): 4 * 3600,
        ("verification_failed",): 1,
    }


@pytest.mark.skipif(
    not apps.is_installed("affiliates.contrib.statistics"), reason="no statistics here"
)
def test_the_age_of_the_statistics_is_that_of_the_brand_that_waits_longest(brand, now):
    from affiliates.contrib.statistics import selectors
    from affiliates.contrib.statistics.models import StatisticsState
    from tests.factories.affiliates import BrandFactory

    assert values(selectors.age, now) == {}
    for one, minutes in (
        (brand, 2),
        (BrandFactory(client_area="b.example.com"), 5),
        (BrandFactory(client_area="c.example.com", is_test=True), 9),
    ):
        StatisticsState.objects.create(
            brand=one,
            time_zone="UTC",
            open_from=now.date(),
            counted_at=now - timedelta(minutes=minutes),
        )

    assert values(selectors.age, now) == {("statistics_age_seconds",): 300}


def test_an_empty_installation_has_samples_of_known_gauges_only(now):
    for name, value, labels in read_all(now):
        assert len(labels) == len(GAUGES[name].labels)
        assert value == (name == "affiliates_job_late")


@pytest.mark.parametrize("count", [1, 4])
def test_reading_costs_as_many_queries_however_many_rows_there_are(
    count, brand, now, django_assert_max_num_queries
):
    pap = TrackingIntegrationFactory(brand=brand)
    DeliveryFactory.create_batch(count, integration=pap)
    EmailFactory.create_batch(count, brand=brand)

    with django_assert_max_num_queries(13):
        read_all(now)
