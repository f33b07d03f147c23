"""What is queued, and what an operator may do with it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.outbox import services
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.queue import services as queue
from affiliates.outbox.rules import SWITCHED_OFF
from affiliates.outbox.types import (
    ConversionFacts,
    NewDelivery,
    Operation,
    ReversalFacts,
    ReversalKind,
)
from tests.affiliates.outbox.outbox import VISITOR, reversal_of, sale_of, state_of
from tests.factories.integrations import NOW, DeliveryFactory

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(days=1)
SALE = {
    "kind": Operation.SALE,
    "order_ref": "invoice-1",
    "amount": Decimal("100.00"),
    "currency": "EUR",
    "product_ref": "product-1",
    "customer_ref": "client-1",
    "occurred_at": NOW,
    "affiliate": "testaff",
    "ip": "203.0.113.0",
    "user_agent": "Mozilla/5.0 (X11)",
}


def queue_sale(integration, *, now=NOW, **changes) -> None:
    _queue(integration, SALE | changes, now)


def queue_lead(integration) -> None:
    changes = {"kind": Operation.LEAD, "order_ref": "client-1", "amount": None}
    _queue(integration, SALE | changes, NOW)


def _queue(integration, facts, now) -> None:
    services.queue_deliveries(
        integration,
        [NewDelivery(ConversionFacts(**facts), reference=facts["order_ref"])],
        visitor_ref=VISITOR,
        known_since=NOW,
        now=now,
    )


def test_sale_is_queued_once(integration):
    queue_sale(integration)
    queue_sale(integration, amount=Decimal("7.00"), now=LATER)

    (sale,) = Delivery.objects.all()
    assert (sale.key, sale.order_ref, sale.state) == (
        "sale:invoice-1",
        "invoice-1",
        "waiting",
    )
    assert (sale.next_at, sale.payload["amount"]) == (NOW, "100.00")


def test_refunds_of_a_sale_are_queued_each(integration):
    for refund_ref in ("refund-1", "refund-1", "refund-2"):
        facts = ReversalFacts(
            order_ref="invoice-1",
            kind=ReversalKind.REFUND,
            amount=Decimal("20.00"),
            currency="EUR",
            occurred_at=NOW,
        )
        services.queue_deliveries(
            integration,
            [NewDelivery(facts, refund_ref)],
            visitor_ref=VISITOR,
            known_since=NOW,
            now=NOW,
        )

    keys = Delivery.objects.order_by("pk").values_list("key", flat=True)
    assert list(keys) == ["rev:invoice-1:refund-1", "rev:invoice-1:refund-2"]


def test_switched_off_integration_is_told_nothing_but_it_stays_visible(integration):
    integration.is_active = False
    integration.save()

    queue_sale(integration)

    (sale,) = Delivery.objects.all()
    assert (sale.state, sale.next_at, sale.detail) == ("given_up", None, SWITCHED_OFF)


@pytest.mark.parametrize("is_offered", [True, False])
def test_lead_is_queued_where_the_provider_wants_to_know(
    is_offered, integration, adapter
):
    if not is_offered:
        adapter.offered -= {Operation.LEAD}

    queue_lead(integration)

    assert Delivery.objects.count() == (1 if is_offered else 0)


@pytest.mark.parametrize(
    ("state", "outcome", "expected"),
    [
        ("failed", "rejected", "retry"),
        ("given_up", "retry", "retry"),
        ("retry", "retry", "retry"),
        ("waiting", "", "retry"),
        ("unclear", "ambiguous", "unclear"),
        ("given_up", "ambiguous", "unclear"),
    ],
)
def test_unfinished_delivery_can_be_sent_again(state, outcome, expected, integration):
    is_open = state in {"retry", "waiting"}
    sale = sale_of(
        integration,
        state=state,
        outcome=outcome,
        next_at=LATER + timedelta(days=1) if is_open else None,
    )

    count = services.retry_deliveries(Delivery.objects.filter(state=state), now=LATER)

    assert count == 1
    assert state_of(sale) == (expected, 0)
    assert (sale.next_at, sale.finished_at) == (LATER, None)
    starts_afresh = state in {"failed", "given_up"}
    assert sale.created_at == (LATER if starts_afresh else NOW)


@pytest.mark.parametrize("can_be_asked", [True, False])
def test_unclear_sale_is_looked_up_first_where_the_provider_can_be_asked(
    can_be_asked, integration, adapter
):
    if not can_be_asked:
        adapter.offered -= {Operation.LOOKUP}
    sale = sale_of(integration, state="unclear", next_at=None)

    services.retry_deliveries(Delivery.objects.all(), now=LATER)

    assert state_of(sale)[0] == ("unclear" if can_be_asked else "retry")
    assert sale.next_at == LATER


@pytest.mark.parametrize("state", ["sent", "sending"])
def test_what_arrived_or_is_on_its_way_is_never_sent_again(state, integration):
    sale = sale_of(integration, state=state)
    next_at = sale.next_at

    count = services.retry_deliveries(Delivery.objects.all(), now=LATER)

    assert count == 0
    assert state_of(sale) == (state, 0)
    assert sale.next_at == next_at


def test_nothing_of_a_switched_off_integration_is_sent_again(integration):
    integration.is_active = False
    integration.save()
    click = DeliveryFactory(integration=integration, state="given_up")

    count = services.retry_deliveries(Delivery.objects.all(), now=LATER)

    assert count == 0
    assert state_of(click) == ("given_up", 0)


def test_many_deliveries_are_sent_again_batch_by_batch(integration, monkeypatch):
    monkeypatch.setattr(queue, "BATCH", 2)
    sizes = []
    send_again = services.send_again

    def counted(rows, *given, **named):
        sizes.append(rows.count())
        return send_again(rows, *given, **named)

    monkeypatch.setattr(services, "send_again", counted)
    for _ in range(5):
        DeliveryFactory(integration=integration, state="given_up")

    count = services.retry_deliveries(
        Delivery.objects.filter(state="given_up"), now=LATER
    )

    assert (count, sizes) == (5, [2, 2, 1])
    assert Delivery.objects.filter(state="retry", next_at=LATER).count() == 5


def test_saved_settings_send_what_failed_for_them(integration):
    waiting = {"next_at": LATER + timedelta(hours=6), "visitor_ref": ""}
    config = DeliveryFactory(
        integration=integration, state="retry", outcome="config", **waiting
    )
    unclear = sale_of(integration, state="unclear", outcome="config", **waiting)
    other = DeliveryFactory(
        integration=integration, state="retry", outcome="retry", **waiting
    )
    IntegrationHealth(integration=integration, failures=7, paused_until=LATER).save()

    count = services.resume_deliveries(integration, now=LATER)

    assert count == 2
    assert (state_of(config)[0], config.next_at) == ("retry", LATER)
    assert (state_of(unclear)[0], unclear.next_at) == ("unclear", LATER)
    assert (state_of(other)[0], other.next_at) == ("retry", waiting["next_at"])
    health = IntegrationHealth.objects.get()
    assert (health.failures, health.paused_until) == (0, None)


@pytest.mark.parametrize(
    ("arrived", "state", "next_at"), [(True, "sent", None), (False, "retry", LATER)]
)
def test_person_says_whether_an_unclear_sale_arrived(
    arrived, state, next_at, integration
):
    sale = sale_of(integration, state="unclear", next_at=None)
    reversal = reversal_of(integration, next_at=LATER + timedelta(minutes=5))

    is_resolved = services.resolve_by_hand(sale, arrived=arrived, now=LATER)

    assert is_resolved
    assert (state_of(sale)[0], sale.next_at) == (state, next_at)
    assert sale.finished_at == (LATER if arrived else None)
    assert sale.detail.endswith("by a person." if arrived else "to be sent again.")
    reversal.refresh_from_db()
    assert reversal.next_at == LATER


def test_what_is_not_unclear_is_not_resolved_by_hand(integration):
    sale = sale_of(integration, state="failed")

    is_resolved = services.resolve_by_hand(sale, arrived=True, now=LATER)

    assert not is_resolved
    assert state_of(sale) == ("failed", 0)
