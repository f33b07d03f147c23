"""Facts for outsiders: what is queued and signalled, and what is not."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import pytest
from django.db import transaction

from affiliates import signals
from affiliates.outbox.active import active_integration, active_webhooks
from affiliates.outbox.models.delivery import Delivery
from affiliates.webhooks.announce import Fact, FactKind, announce
from tests.affiliates.webhooks.receiver import fact
from tests.factories.affiliates import BrandFactory
from tests.factories.integrations import NOW, TrackingIntegrationFactory, WebhookFactory

pytestmark = pytest.mark.django_db

SIGNALS = {
    FactKind.CLIENT_REFERRED: signals.client_referred,
    FactKind.REFERRAL_RECORDED: signals.referral_recorded,
    FactKind.SALE_RECORDED: signals.sale_recorded,
    FactKind.SALE_REVERSED: signals.sale_reversed,
    FactKind.SALE_RESTORED: signals.sale_restored,
    FactKind.COMMISSION_CHANGED: signals.commission_changed,
    FactKind.PAYOUT_CHANGED: signals.payout_changed,
    FactKind.PERSON_ERASED: signals.person_erased,
}


@pytest.fixture
def heard():
    """What receivers of any of the signals were given."""
    told: list[dict] = []

    def listen(**arguments):
        told.append(arguments)

    for signal in SIGNALS.values():
        signal.connect(listen)
    yield told
    for signal in SIGNALS.values():
        signal.disconnect(listen)


@pytest.mark.parametrize("kind", FactKind)
def test_each_kind_is_queued_and_signalled(
    kind, brand, heard, django_capture_on_commit_callbacks
):
    webhook = WebhookFactory(brand=brand)

    with django_capture_on_commit_callbacks(execute=True):
        announce([fact(brand, kind)], now=NOW)
        assert heard == []

    delivery = Delivery.objects.get()
    assert (delivery.brand, delivery.integration_id) == (brand, webhook.pk)
    assert (delivery.operation, delivery.state) == ("event", "waiting")
    assert (delivery.next_at, delivery.created_at) == (NOW, NOW)
    assert delivery.visitor_ref == "invoice:INV-1"
    message_id = delivery.payload.pop("message_id")
    assert len(message_id) == 36
    assert delivery.payload == {
        "type": kind,
        "timestamp": "2026-03-01T12:00:00Z",
        "data": {"invoice": "INV-1", "amount": "100.00", "currency": "EUR"},
    }
    assert heard == [
        {
            "signal": SIGNALS[kind],
            "sender": Fact,
            "brand_id": brand.pk,
            "subject": "invoice:INV-1",
            "key": "invoice:INV-1",
            "data": {"invoice": "INV-1", "amount": "100.00", "currency": "EUR"},
            "at": NOW,
        }
    ]


def test_fact_that_is_announced_again_is_queued_once(brand):
    WebhookFactory(brand=brand)

    announce([fact(brand), fact(brand)], now=NOW)
    announce([fact(brand)], now=datetime(2026, 3, 2, tzinfo=UTC))

    delivery = Delivery.objects.get()
    assert delivery.created_at == NOW


def test_keys_of_any_length_tell_facts_apart(brand):
    WebhookFactory(brand=brand)
    stem = "refund:" + "7" * 200

    announce([fact(brand, key=stem + "1"), fact(brand, key=stem + "2")], now=NOW)
    announce([fact(brand, key=stem + "1")], now=NOW)

    assert Delivery.objects.count() == 2


def test_every_webhook_is_told_under_the_same_identifier(brand):
    WebhookFactory.create_batch(2, brand=brand)

    announce([fact(brand)], now=NOW)

    first, second = Delivery.objects.all()
    assert first.integration_id != second.integration_id
    assert first.payload == second.payload


@pytest.mark.parametrize(
    ("kinds", "is_told"),
    [
        ((), True),
        (("sale.recorded",), True),
        (("payout.changed", "sale.recorded"), True),
        (("payout.changed",), False),
    ],
)
def test_webhook_is_told_of_the_kinds_it_chose(kinds, is_told, brand):
    WebhookFactory(brand=brand, kinds=kinds)

    announce([fact(brand)], now=NOW)

    assert Delivery.objects.exists() == is_told


def test_nobody_else_is_told(brand):
    other = BrandFactory(client_area="other.example.com")
    WebhookFactory(brand=other)
    WebhookFactory(brand=brand, is_active=False)
    TrackingIntegrationFactory(brand=brand)

    announce([fact(brand)], now=NOW)

    assert Delivery.objects.count() == 0


def test_nothing_is_asked_of_the_database_without_a_webhook(
    brand, django_assert_num_queries, settings
):
    TrackingIntegrationFactory(brand=brand)
    active_webhooks(brand.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    with django_assert_num_queries(0):
        announce([fact(brand, kind) for kind in FactKind], now=NOW)


def test_many_facts_and_webhooks_are_one_query(
    brand, django_assert_num_queries, settings
):
    WebhookFactory.create_batch(3, brand=brand)
    active_webhooks(brand.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    with django_assert_num_queries(1):
        announce([fact(brand, kind) for kind in FactKind], now=NOW)

    assert Delivery.objects.count() == 24


def test_rolled_back_transaction_queues_and_signals_nothing(
    brand, heard, django_capture_on_commit_callbacks
):
    WebhookFactory(brand=brand)

    with django_capture_on_commit_callbacks(execute=True):
        try:
            with transaction.atomic():
                announce([fact(brand)], now=NOW)
                raise InterruptedError
        except InterruptedError:
            pass

    assert Delivery.objects.count() == 0
    assert heard == []


def test_receiver_that_raises_stops_nothing_and_quotes_nothing(
    brand, heard, caplog, django_capture_on_commit_callbacks
):
    def fail(data, **_):
        raise ValueError(f"no room for {data}")

    signals.sale_recorded.connect(fail)
    try:
        with (
            caplog.at_level(logging.DEBUG),
            django_capture_on_commit_callbacks(execute=True),
        ):
            announce([fact(brand), fact(brand, FactKind.PAYOUT_CHANGED)], now=NOW)
    finally:
        signals.sale_recorded.disconnect(fail)

    assert len(heard) == 2
    [line] = [record.getMessage() for record in caplog.records]
    assert line.startswith("ValueError at ")
    assert line.endswith("fail, which receives a fact")
    assert "INV-1" not in caplog.text


@pytest.mark.parametrize(
    "fault", [{"key": ""}, {"subject": ""}, {"subject": "x" * 129}]
)
def test_fact_that_cannot_be_told_is_refused(brand, fault):
    with pytest.raises(ValueError, match="A fact"):
        fact(brand, **fault)


def test_visits_never_meet_a_webhook(brand):
    WebhookFactory(brand=brand)
    without = active_integration(brand.pk)
    tracker = TrackingIntegrationFactory(brand=brand)
    WebhookFactory(brand=brand)

    beside = active_integration(brand.pk)

    assert without is None
    assert beside is not None
    assert beside.id == tracker.pk
