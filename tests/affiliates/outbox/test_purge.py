from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.queue import services as queue
from affiliates.outbox.sending.purging import purge_deliveries
from tests.affiliates.outbox.outbox import (
    Clock,
    Wire,
    deliver,
    lead_of,
    reversal_of,
    sale_of,
)
from tests.factories.integrations import NOW, DeliveryFactory

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(days=31)
MONTH = timedelta(days=30)


def test_finished_clicks_and_events_go_with_their_attempts(integration):
    DeliveryFactory(integration=integration)
    deliver(Wire(), Clock())
    DeliveryFactory(
        integration=integration, operation="event", state="failed", payload={}
    )

    count = purge_deliveries(older_than=MONTH, now=LATER)

    assert count == 2
    assert Delivery.objects.count() == 0
    assert DeliveryAttempt.objects.count() == 0


def test_what_proves_and_what_is_still_to_be_done_is_kept(integration):
    sale_of(integration, state="sent")
    lead_of(integration, state="sent")
    reversal_of(integration, state="sent")
    DeliveryFactory(integration=integration, state="retry")
    DeliveryFactory(integration=integration, state="sent", created_at=LATER - MONTH)
    before = set(Delivery.objects.values_list("pk", flat=True))

    count = purge_deliveries(older_than=MONTH, now=LATER)

    assert count == 0
    assert set(Delivery.objects.values_list("pk", flat=True)) == before


def test_many_go_batch_by_batch(integration, monkeypatch):
    monkeypatch.setattr(queue, "BATCH", 2)
    DeliveryFactory.create_batch(5, integration=integration, state="given_up")

    count = purge_deliveries(older_than=MONTH, now=LATER)

    assert count == 5
    assert Delivery.objects.count() == 0


def test_command_says_how_many(integration):
    finished_at = timezone.now() - timedelta(days=8)
    DeliveryFactory(integration=integration, state="sent", created_at=finished_at)
    output = StringIO()

    call_command("purge_deliveries", older_than=7, stdout=output)

    assert output.getvalue() == "1 deliveries deleted.\n"


@pytest.mark.parametrize("days", [0, -1, 36_501])
def test_unfit_number_of_days_is_refused(integration, days):
    DeliveryFactory(integration=integration, state="sent")

    with pytest.raises(CommandError, match="--older-than must be between"):
        call_command("purge_deliveries", older_than=days)

    assert Delivery.objects.count() == 1
