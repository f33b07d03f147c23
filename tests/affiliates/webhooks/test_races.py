"""Facts announced, and webhooks told, by several processes at once."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.sending.deliver import serve
from affiliates.webhooks.announce import FactKind, announce
from tests.affiliates.outbox.outbox import Clock
from tests.affiliates.webhooks.receiver import Receiver, fact
from tests.factories.integrations import NOW, WebhookFactory
from tests.races import at_once, needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]


def test_same_fact_announced_at_once_is_queued_once(brand):
    WebhookFactory(brand=brand)

    def tell(_: int) -> None:
        for number in range(10):
            with transaction.atomic():
                announce([fact(brand, key=f"key-{number}")], now=NOW)

    at_once(8, tell)

    assert Delivery.objects.count() == 10


def test_two_workers_tell_each_event_once_and_in_order(brand, settings):
    # The clock runs with the workers' turns: no lease may end by it.
    settings.AFFILIATES_DELIVERY_LEASE_SECONDS = 86_400
    webhook = WebhookFactory(brand=brand)
    receiver, clock = Receiver(), Clock(timezone.now())
    facts = [
        fact(
            brand,
            FactKind.COMMISSION_CHANGED,
            subject=f"commission:{number % 5}",
            key=f"{number}",
            data={"subject": number % 5, "number": number},
        )
        for number in range(40)
    ]
    announce(facts, now=clock.at)

    def work(_: int) -> None:
        while Delivery.objects.filter(next_at__isnull=False).exists():
            clock.pass_by(milliseconds=20)
            serve(webhook.pk, transport=receiver, now=clock)

    at_once(2, work)

    assert len(receiver.ids) == len(set(receiver.ids)) == 40
    assert DeliveryAttempt.objects.count() == 40
    for subject in range(5):
        told = [
            message["data"]["number"]
            for message in receiver.messages
            if message["data"]["subject"] == subject
        ]
        assert told == sorted(told)
        assert len(told) == 8
