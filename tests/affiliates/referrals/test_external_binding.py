"""Clients whom a registration binds to a tracking integration, and who are leads."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.outbox.models.delivery import Delivery
from affiliates.referrals.models import ClientReferral
from tests.affiliates.referrals.external_clicks import (
    EXTERNAL_VISITOR,
    NOTHING,
    PERSON,
    come_as_guest,
    complete,
    convert,
    cookie_of,
    external_click,
    external_fields,
    own_click,
    register,
)
from tests.factories.affiliates import AffiliateFactory
from tests.factories.integrations import TrackingIntegrationFactory


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand, config={"lead_action": "signup"})


def test_registration_binds_the_client_to_the_integration(brand, integration, now):
    clicked = external_click(integration, now - timedelta(days=3))

    registered = register(brand, cookie_of(clicked), now)

    binding = ClientReferral.objects.get()
    assert str(binding.client_id) == registered.client.id
    assert (binding.affiliate, binding.click_id, binding.touched_at) == (
        None,
        None,
        None,
    )
    assert external_fields(binding) == (
        integration.pk,
        EXTERNAL_VISITOR,
        "testaff",
        clicked.pk,
        now - timedelta(days=3),
        "203.0.113.0",
        PERSON,
    )


def test_registration_binds_the_client_to_both(brand, affiliate, integration, now):
    own = own_click(affiliate, now - timedelta(days=3))
    later = external_click(integration, now - timedelta(days=1))

    register(brand, cookie_of(later), now)

    binding = ClientReferral.objects.get()
    assert (binding.affiliate, binding.click_id) == (affiliate, own.pk)
    assert (binding.integration, binding.external_click_id) == (integration, later.pk)


@pytest.mark.parametrize(
    ("days", "outcome", "verdict"),
    [(87, "third_party", "won"), (88, "nobody", "outside_window")],
)
def test_binding_claims_an_order_from_another_device_inside_the_window(
    host, brand, integration, now, days, outcome, verdict
):
    register(
        brand,
        cookie_of(external_click(integration, now - timedelta(days=3))),
        now,
    )
    client = ClientReferral.objects.get().client

    referral = convert(host, client, now + timedelta(days=days))

    assert referral.outcome == outcome
    assert referral.decision["external"]["carrier"] == "binding"
    assert referral.decision["external"]["verdict"] == verdict
    assert (referral.external_visitor_id == EXTERNAL_VISITOR) is (verdict == "won")


def test_binding_to_an_integration_switched_off_since_claims_nothing(
    host, brand, integration, now
):
    register(brand, cookie_of(external_click(integration, now)), now)
    client = ClientReferral.objects.get().client
    integration.is_active = False
    integration.save()

    referral = convert(host, client, now)

    assert (referral.outcome, referral.reason) == ("nobody", "no_touch")
    assert referral.decision["external"] is None


def test_registered_client_is_a_lead_once(brand, integration, now):
    clicked = external_click(integration, now - timedelta(days=3))

    registered = register(brand, cookie_of(clicked), now)

    lead = Delivery.objects.get()
    assert (lead.operation, lead.state) == ("lead", "waiting")
    assert lead.key == f"lead:{registered.client.id}"
    assert lead.visitor_ref == EXTERNAL_VISITOR
    assert lead.payload["affiliate"] == "testaff"
    assert lead.payload["ip"] == "203.0.113.0"
    assert lead.payload["user_agent"] == PERSON
    assert lead.payload["occurred_at"] == now.isoformat()


def test_guest_is_a_lead_when_it_completes_its_registration(brand, integration, now):
    cookie = cookie_of(external_click(integration, now))
    guest = come_as_guest(brand, cookie, now)
    assert Delivery.objects.count() == 0

    complete(guest, None, now + timedelta(hours=1))

    lead = Delivery.objects.get()
    assert lead.key == f"lead:{guest.client.id}"
    assert lead.payload["occurred_at"] == (now + timedelta(hours=1)).isoformat()


def test_existing_binding_stays_at_completion(host, brand, affiliate, integration, now):
    rival = AffiliateFactory(
        brand=brand, user=host.client(brand, email="r@example.com")
    )
    first = own_click(affiliate, now - timedelta(days=1))
    guest = come_as_guest(brand, cookie_of(first, external=""), now)
    later = external_click(
        integration,
        now + timedelta(hours=1),
        affiliate=rival,
        affiliate_status="active",
    )

    complete(guest, cookie_of(later), now + timedelta(hours=2))

    binding = ClientReferral.objects.get()
    assert binding.affiliate == affiliate
    assert external_fields(binding) == NOTHING
    assert Delivery.objects.get().operation == "lead"


def test_registration_without_any_claim_is_no_lead(brand, affiliate, integration, now):
    register(brand, cookie_of(own_click(affiliate, now), external=""), now)

    assert ClientReferral.objects.get().affiliate == affiliate
    assert Delivery.objects.count() == 0
