"""After a restore, nothing that may have been sent is sent again without a look."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.outbox import services
from affiliates.outbox.doubt import Doubted, doubt_deliveries
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.rules import RESTORED, AmbiguousSales, may_be_repeated
from affiliates.outbox.types import (
    ConversionFacts,
    NewDelivery,
    Operation,
    ReversalFacts,
    ReversalKind,
)
from tests.affiliates.outbox.outbox import (
    FOUND,
    MISSING,
    OK,
    VISITOR,
    Wire,
    deliver,
    lead_of,
    reversal_of,
    sale_of,
    state_of,
)
from tests.factories.integrations import NOW, DeliveryFactory

pytestmark = pytest.mark.django_db

RESTORED_AT = NOW + timedelta(minutes=5)
LATER = NOW + timedelta(minutes=10)
SECOND = timedelta(seconds=1)


def doubt(restored_at=RESTORED_AT) -> Doubted:
    return doubt_deliveries(restored_at=restored_at, now=LATER)


@pytest.mark.parametrize(
    ("answers", "calls"),
    [([FOUND], ["lookup"]), ([MISSING, OK], ["lookup", "sale"])],
)
def test_open_sales_are_looked_up(integration, clock, answers, calls):
    sale = sale_of(integration)
    clock.at = LATER

    assert doubt() == Doubted(looked_up=1, held=0)

    wire = Wire(*answers)
    deliver(wire, clock)
    assert [url.partition("/")[0] for url in wire.calls] == calls
    assert state_of(sale)[0] == "sent"


@pytest.mark.parametrize("policy", [AmbiguousSales.HOLD, AmbiguousSales.RESEND])
def test_what_cannot_be_looked_up_is_left_to_a_person(integration, clock, policy):
    integration.ambiguous_sales = policy
    integration.save()
    sale = sale_of(integration)
    clock.at = LATER

    assert doubt() == Doubted(looked_up=0, held=1)

    wire = Wire(OK)
    deliver(wire, clock)
    assert wire.calls == []
    sale.refresh_from_db()
    assert (sale.state, sale.next_at, sale.detail) == ("unclear", None, RESTORED)


def test_partial_refunds_are_left_to_a_person_and_whole_ones_sent(integration, clock):
    sale_of(integration, state=QueueState.SENT)
    part = reversal_of(integration, amount="10.00", key="rev:invoice-1:part")
    whole = reversal_of(integration, key="rev:invoice-1:whole")

    assert doubt() == Doubted(looked_up=0, held=1)

    assert state_of(part)[0] == "unclear"
    assert state_of(whole)[0] == "waiting"


@pytest.mark.parametrize(
    ("_case", "fields"),
    [
        ("sent", {"state": QueueState.SENT}),
        ("unclear before", {"state": QueueState.UNCLEAR, "next_at": None}),
        ("queued afterwards", {"created_at": RESTORED_AT + SECOND}),
        (
            "not due before",
            {"state": QueueState.RETRY, "next_at": RESTORED_AT + timedelta(hours=1)},
        ),
    ],
)
def test_others_are_left_alone(integration, _case, fields):
    sale_of(integration, **fields)
    before = list(Delivery.objects.values())

    assert doubt() == Doubted(looked_up=0, held=0)

    assert list(Delivery.objects.values()) == before


def test_clicks_and_leads(integration):
    click = DeliveryFactory(integration=integration)
    lead = lead_of(integration)

    assert doubt() == Doubted(looked_up=1, held=0)

    assert (state_of(click)[0], state_of(lead)[0]) == ("waiting", "unclear")


def test_a_second_time_changes_nothing(integration):
    sale_of(integration)
    doubt()

    assert doubt() == Doubted(looked_up=0, held=0)


@pytest.mark.parametrize(
    ("_case", "known_since", "now", "state"),
    [
        ("reported again", NOW, LATER, "unclear"),
        ("new order", RESTORED_AT + SECOND, LATER, "waiting"),
        ("a week later", NOW, RESTORED_AT + timedelta(days=7, seconds=1), "waiting"),
    ],
)
def test_sales_that_are_reported_again_are_looked_up(
    integration, _case, known_since, now, state
):
    doubt()
    integration.refresh_from_db()

    sale = ConversionFacts(
        kind=Operation.SALE,
        order_ref="invoice-1",
        amount=Decimal("100.00"),
        currency="EUR",
        occurred_at=NOW,
        customer_ref="client-1",
        ip="",
        user_agent="",
    )
    services.queue_deliveries(
        integration,
        [NewDelivery(sale, "invoice-1")],
        visitor_ref=VISITOR,
        known_since=known_since,
        now=now,
    )

    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.next_at) == (state, now)


@pytest.mark.parametrize(("amount", "state"), [("10.00", "unclear"), (None, "waiting")])
def test_partial_refunds_that_are_reported_again_are_left_to_a_person(
    integration, amount, state
):
    doubt()
    integration.refresh_from_db()

    reversal = ReversalFacts(
        order_ref="invoice-1",
        kind=ReversalKind.REFUND,
        amount=amount and Decimal(amount),
        currency="EUR",
        occurred_at=NOW,
    )
    services.queue_deliveries(
        integration,
        [NewDelivery(reversal, "refund-1")],
        visitor_ref=VISITOR,
        known_since=NOW,
        now=LATER,
    )

    refund = Delivery.objects.get()
    assert refund.state == state
    assert refund.next_at == (None if amount else LATER)


def test_without_a_restore_nothing_is_doubted():
    assert may_be_repeated(None, NOW, now=NOW) is False
