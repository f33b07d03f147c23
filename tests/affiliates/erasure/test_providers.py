"""Providers that know a client are told that it was erased here."""

from __future__ import annotations

import pytest

from affiliates.erasure.services import erase
from affiliates.errors import StateConflict
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.sending.plan import ERASE_BY_HAND
from affiliates.outbox.types import Operation
from tests.factories.integrations import (
    NOW,
    DeliveryFactory,
    TrackingIntegrationFactory,
    WebhookFactory,
)

pytestmark = pytest.mark.django_db
TEMPLATES = {
    "sale_template": "/sale?click={visitor_id}",
    "erasure_template": "/forget?customer={customer_ref}",
}


@pytest.fixture
def order(program):
    return program.referral("restored")


def tracker(program, **values):
    return TrackingIntegrationFactory(brand=program.world.brand, **values)


def sent_to(integration, order, *, operation=Operation.SALE, state="sent", tries=1):
    DeliveryFactory(
        integration=integration,
        operation=operation,
        key=f"{operation}:{order.order_ref}",
        order_ref=order.invoice_ref,
        payload={"order_ref": order.invoice_ref},
        state=state,
        attempt_count=tries,
        next_at=None if state == "sent" else NOW,
    )


def erased(program, order):
    return erase(
        brand=program.world.brand,
        accounts=[str(order.client_id)],
        email="",
        reason="As asked.",
        now=program.world.now,
    )


def told():
    rows = Delivery.objects.filter(operation=Operation.ERASURE)
    return [(row.integration_id, row.state, row.detail) for row in rows.order_by("pk")]


def test_the_provider_gets_the_number_that_its_sales_have(program, order):
    integration = tracker(program, provider="postback", config=TEMPLATES)
    sent_to(integration, order)

    erased(program, order)
    erased(program, order)

    row = Delivery.objects.get(operation=Operation.ERASURE)
    assert (row.integration, row.state) == (integration, "waiting")
    assert row.next_at == program.world.now
    assert row.key == f"erasure:{order.client_id}"
    assert (row.visitor_ref, row.order_ref) == ("", "")
    assert row.payload == {
        "customer_ref": str(order.client_id),
        "occurred_at": program.world.now.isoformat(),
    }


def test_where_the_provider_has_no_call_a_person_does_it(program, order):
    integration = tracker(program)
    sent_to(integration, order)

    erased(program, order)

    assert told() == [(integration.pk, "unclear", ERASE_BY_HAND)]
    assert Delivery.objects.get(operation=Operation.ERASURE).next_at is None


def test_a_switched_off_provider_is_named_too(program, order):
    integration = tracker(
        program, provider="postback", config=TEMPLATES, is_active=False
    )
    sent_to(integration, order)

    erased(program, order)

    assert told() == [(integration.pk, "given_up", "The integration was switched off.")]


def test_who_knows_nothing_of_the_client_is_not_told(program, order):
    clicks = tracker(program, provider="postback", config=TEMPLATES)
    sent_to(clicks, order, operation=Operation.CLICK)
    sent_to(WebhookFactory(brand=program.world.brand), order, operation=Operation.EVENT)

    erased(program, order)

    assert told() == []


def test_a_refused_erasure_tells_nobody(program, order):
    integration = tracker(program, provider="postback", config=TEMPLATES)
    sent_to(integration, order, state="retry")

    with pytest.raises(StateConflict):
        erased(program, order)

    assert told() == []
