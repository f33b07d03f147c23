"""Providers that know a client are told that it was erased here."""

from __future__ import annotations

from copy import deepcopy

import pytest

from affiliates.errors import StateConflict
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.sending.plan import ERASE_BY_HAND
from affiliates.outbox.types import Operation
from affiliates.privacy.erasure.services import erase
from affiliates.referrals.models import OrderReferral
from tests.factories.integrations import (
    NOW,
    DeliveryFactory,
    TrackingIntegrationFactory,
    WebhookFactory,
)
from tests.factories.programs import sell_once

pytestmark = pytest.mark.django_db
TEMPLATES = {
    "sale_template": "/sale?click={visitor_id}",
    "erasure_template": "/forget?customer={customer_ref}",
}


@pytest.fixture(scope="module")
def kept_world(keep_rows):
    return keep_rows(sell_once)


@pytest.fixture
def world(db, kept_world):
    return deepcopy(kept_world)


@pytest.fixture
def order(world):
    return OrderReferral.objects.get()


def tracker(world, **values):
    return TrackingIntegrationFactory(brand=world.brand, **values)


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


def erased(world, order):
    return erase(
        brand=world.brand,
        accounts=[str(order.client_id)],
        email="",
        reason="As asked.",
        now=world.now,
    )


def told():
    rows = Delivery.objects.filter(operation=Operation.ERASURE)
    return [(row.integration_id, row.state, row.detail) for row in rows.order_by("pk")]


def test_the_provider_gets_the_number_that_its_sales_have(world, order):
    integration = tracker(world, provider="postback", config=TEMPLATES)
    sent_to(integration, order)

    erased(world, order)
    erased(world, order)

    row = Delivery.objects.get(operation=Operation.ERASURE)
    assert (row.integration, row.state) == (integration, "waiting")
    assert row.next_at == world.now
    assert row.key == f"erasure:{order.client_id}"
    assert (row.visitor_ref, row.order_ref) == ("", "")
    assert row.payload == {
        "customer_ref": str(order.client_id),
        "occurred_at": world.now.isoformat(),
    }


def test_where_the_provider_has_no_call_a_person_does_it(world, order):
    integration = tracker(world)
    sent_to(integration, order)

    erased(world, order)

    assert told() == [(integration.pk, "unclear", ERASE_BY_HAND)]
    assert Delivery.objects.get(operation=Operation.ERASURE).next_at is None


def test_a_switched_off_provider_is_named_too(world, order):
    integration = tracker(world, provider="postback", config=TEMPLATES, is_active=False)
    sent_to(integration, order)

    erased(world, order)

    assert told() == [(integration.pk, "given_up", "The integration was switched off.")]


def test_who_knows_nothing_of_the_client_is_not_told(world, order):
    clicks = tracker(world, provider="postback", config=TEMPLATES)
    sent_to(clicks, order, operation=Operation.CLICK)
    sent_to(WebhookFactory(brand=world.brand), order, operation=Operation.EVENT)

    erased(world, order)

    assert told() == []


def test_a_refused_erasure_tells_nobody(world, order):
    integration = tracker(world, provider="postback", config=TEMPLATES)
    sent_to(integration, order, state="retry")

    with pytest.raises(StateConflict):
        erased(world, order)

    assert told() == []
