"""Clients whom a tracking integration's link sent, alone or beside an own affiliate."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from affiliates.conf import conf
from affiliates.contracts import (
    ClientRegistration,
    GuestRegistration,
    OrderConversion,
    RegistrationCompletion,
)
from affiliates.integrations.models import Delivery
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.services import (
    complete_registration,
    register_client,
    register_guest,
)
from affiliates.settlement.services import convert_order
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from affiliates.visits.rules import TouchSource
from tests.factories.affiliates import AffiliateFactory, BrandFactory, ClickFactory
from tests.factories.integrations import TrackingIntegrationFactory

VISITOR = UUID(int=7)
EXTERNAL_VISITOR = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
PERSON = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
PASSWORD = "correct horse battery"


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand, config={"lead_action": "signup"})


@pytest.fixture
def client(host, brand):
    return host.client(brand, email="client@example.com")


def own_click(affiliate, at: datetime, **changes):
    return ClickFactory(
        affiliate=affiliate, visitor_id=VISITOR, created_at=at, **changes
    )


def external_click(integration, at: datetime, **changes):
    facts = {
        "brand": integration.brand,
        "affiliate": None,
        "affiliate_status": "",
        "integration": integration,
        "external_affiliate": "testaff",
        "source": TouchSource.INTEGRATION,
        "visitor_id": VISITOR,
        "created_at": at,
        "ip_prefix": "203.0.113.0/24",
        "user_agent": PERSON,
        **changes,
    }
    return ClickFactory(**facts)


def cookie_of(clicked, *, external: str = EXTERNAL_VISITOR, issued_at=None) -> str:
    issued_at = issued_at or clicked.created_at
    return seal_cookie(
        ReferralCookie(
            visitor_id=clicked.visitor_id,
            click_id=clicked.id,
            affiliate_id=clicked.affiliate_id or 0,
            issued_at=issued_at,
            expires_at=issued_at + timedelta(days=90),
            external_visitor_id=external,
        ),
        brand_id=clicked.brand_id,
        ring=conf.cookie_keys,
        nonce=b"n" * 12,
    )


def register(brand, cookie, now):
    return register_client(
        registration=ClientRegistration(
            brand_id=brand.pk,
            email="new@example.com",
            firstname="New",
            lastname="Client",
            password=PASSWORD,
        ),
        referral_cookie=cookie,
        now=now,
    )


def come_as_guest(brand, cookie, now):
    return register_guest(
        registration=GuestRegistration(brand_id=brand.pk),
        referral_cookie=cookie,
        now=now,
    )


def complete(guest, cookie, now):
    return complete_registration(
        completion=RegistrationCompletion(
            client_id=guest.client.id,
            email="new@example.com",
            firstname="New",
            lastname="Client",
            password=PASSWORD,
        ),
        caller_id=guest.client.id,
        origin_brand_id=None,
        referral_cookie=cookie,
        now=now,
    )


def convert(host, client, now, *, cookie=None) -> OrderReferral:
    order_ref = host.order(client)
    convert_order(
        conversion=OrderConversion(
            order_ref=order_ref,
            client_id=str(client.pk),
            payment_details_id=host.payment_details_id(client),
        ),
        origin_brand_id=None,
        referral_cookie=cookie,
        now=now,
    )
    return OrderReferral.objects.get(order_ref=order_ref)


def external_fields(referral) -> tuple:
    return (
        referral.integration_id,
        referral.external_visitor_id,
        referral.external_affiliate,
        referral.external_click_id,
        referral.external_touched_at,
        referral.external_ip,
        referral.external_user_agent,
    )


NOTHING = (None, "", "", None, None, "", "")


def test_order_of_the_integration_alone_is_credited_to_it(
    host, integration, client, now
):
    clicked = external_click(integration, now - timedelta(days=2))

    referral = convert(host, client, now, cookie=cookie_of(clicked))

    assert (referral.outcome, referral.reason) == ("third_party", "third_party_only")
    assert (referral.affiliate, referral.click_id, referral.touched_at) == (
        None,
        None,
        None,
    )
    assert external_fields(referral) == (
        integration.pk,
        EXTERNAL_VISITOR,
        "testaff",
        clicked.pk,
        now - timedelta(days=2),
        "203.0.113.0",
        PERSON,
    )
    assert referral.decision["cookie"] == "valid"
    assert referral.decision["candidates"] == []
    assert referral.decision["external"] == {
        "verdict": "won",
        "rule": "claims",
        "carrier": "cookie",
        "integration_id": integration.pk,
        "has_identifier": True,
        "click_id": str(clicked.pk),
        "touched_at": "2026-02-27T12:00:00+00:00",
        "affiliate": "testaff",
        "is_bot": False,
    }


@pytest.mark.parametrize(
    ("policy", "outcome", "reason", "is_own", "is_told"),
    [
        ("own", "credited", "last_click", True, False),
        ("third_party", "third_party", "third_party_policy", False, True),
        ("latest", "third_party", "third_party_later", False, True),
        ("both", "credited", "last_click", True, True),
    ],
)
def test_policy_decides_between_an_own_click_and_a_later_one_of_the_integration(
    host, brand, affiliate, integration, client, now, policy, outcome, reason, is_own, is_told
):  # fmt: skip
    brand.claim_policy = policy
    brand.save()
    own_click(affiliate, now - timedelta(days=3))
    later = external_click(integration, now - timedelta(days=1))

    referral = convert(host, client, now, cookie=cookie_of(later))

    assert (referral.outcome, referral.reason) == (outcome, reason)
    assert (referral.affiliate == affiliate) is is_own
    assert (referral.integration == integration) is is_told
    assert (external_fields(referral) != NOTHING) is is_told
    assert referral.decision["terms"]["claim_policy"] == policy


def test_one_click_that_is_both_counts_as_the_brands_own(
    host, affiliate, integration, client, now
):
    clicked = external_click(
        integration,
        now - timedelta(days=1),
        affiliate=affiliate,
        affiliate_status="active",
    )

    referral = convert(host, client, now, cookie=cookie_of(clicked))

    assert (referral.outcome, referral.affiliate) == ("credited", affiliate)
    assert external_fields(referral) == NOTHING
    assert referral.decision["external"]["verdict"] == "own_same_time"


def test_own_order_of_the_affiliate_stays_held_where_both_are_credited(
    host, brand, affiliate, integration, now
):
    brand.claim_policy = "both"
    brand.save()
    own_click(affiliate, now - timedelta(days=3))
    later = external_click(integration, now - timedelta(days=1))

    referral = convert(host, affiliate.user, now, cookie=cookie_of(later))

    assert (referral.outcome, referral.affiliate) == ("held", affiliate)
    assert referral.integration == integration


def test_cookie_tells_of_a_visit_whose_click_is_gone(host, integration, client, now):
    clicked = external_click(integration, now - timedelta(days=2))
    cookie = cookie_of(clicked)
    clicked.delete()

    referral = convert(host, client, now, cookie=cookie)

    assert referral.outcome == "third_party"
    assert external_fields(referral) == (
        integration.pk,
        EXTERNAL_VISITOR,
        "",
        None,
        now - timedelta(days=2),
        "",
        "",
    )
    assert referral.decision["cookie"] == "click_gone"


def test_identifier_in_the_cookie_does_not_outlive_a_click_outside_the_window(
    host, affiliate, integration, client, now
):
    external_click(integration, now - timedelta(days=91))
    own = own_click(affiliate, now - timedelta(days=1))

    referral = convert(host, client, now, cookie=cookie_of(own))

    assert (referral.outcome, referral.affiliate) == ("credited", affiliate)
    assert referral.decision["external"]["verdict"] == "outside_window"


def test_robots_click_claims_nothing(host, integration, client, now):
    clicked = external_click(
        integration, now - timedelta(hours=1), bot_signs="user_agent"
    )

    referral = convert(host, client, now, cookie=cookie_of(clicked))

    assert (referral.outcome, referral.reason) == ("nobody", "no_touch")
    assert external_fields(referral) == NOTHING
    assert referral.decision["external"]["verdict"] == "bot"


def test_visit_without_identifier_claims_nothing(host, integration, client, now):
    clicked = external_click(integration, now - timedelta(hours=1))

    referral = convert(host, client, now, cookie=cookie_of(clicked, external=""))

    assert referral.outcome == "nobody"
    assert referral.decision["external"]["verdict"] == "no_identifier"


def test_integration_switched_off_claims_nothing(host, integration, client, now):
    clicked = external_click(integration, now - timedelta(hours=1))
    integration.is_active = False
    integration.save()

    referral = convert(host, client, now, cookie=cookie_of(clicked))

    assert (referral.outcome, referral.reason) == ("nobody", "no_touch")
    assert referral.decision["external"] is None
    assert referral.decision["cookie"] == "valid"


def test_integrations_click_is_found_behind_any_number_of_own_ones(
    host, affiliate, integration, client, now
):
    first = external_click(integration, now - timedelta(days=3))
    for number in range(60):
        own_click(affiliate, now - timedelta(days=2, minutes=number))
    last = own_click(affiliate, now - timedelta(days=1))

    referral = convert(host, client, now, cookie=cookie_of(last))

    assert referral.click_id == last.pk
    assert referral.decision["external"]["click_id"] == str(first.pk)
    assert referral.decision["external"]["verdict"] == "own_later"


def test_own_click_is_found_behind_any_number_of_the_integrations(
    host, brand, affiliate, integration, client, now
):
    brand.claim_policy = "own"
    brand.save()
    own = own_click(affiliate, now - timedelta(days=3))
    clicks = [
        external_click(integration, now - timedelta(days=2, minutes=-number))
        for number in range(60)
    ]

    referral = convert(host, client, now, cookie=cookie_of(clicks[-1]))

    assert (referral.affiliate, referral.click_id) == (affiliate, own.pk)
    assert len(referral.decision["candidates"]) == 1


def test_other_visitors_and_other_brands_clicks_are_not_claimed(
    host, affiliate, integration, client, now
):
    other = BrandFactory(client_area="other.example.com")
    external_click(integration, now, visitor_id=UUID(int=8))
    external_click(TrackingIntegrationFactory(brand=other), now)
    own = own_click(affiliate, now - timedelta(days=1))

    referral = convert(host, client, now, cookie=cookie_of(own, external=""))

    assert referral.affiliate == affiliate
    assert referral.decision["external"] is None


def test_client_who_paid_before_earns_the_integration_nothing(
    host, integration, client, now
):
    cookie = cookie_of(external_click(integration, now))
    order_ref = host.order(client)
    host.mark_paid_before(order_ref)

    convert_order(
        conversion=OrderConversion(
            order_ref=order_ref,
            client_id=str(client.pk),
            payment_details_id=host.payment_details_id(client),
        ),
        origin_brand_id=None,
        referral_cookie=cookie,
        now=now,
    )

    referral = OrderReferral.objects.get(order_ref=order_ref)
    assert (referral.outcome, referral.reason) == ("nobody", "existing_client")
    assert external_fields(referral) == NOTHING
    assert referral.decision["external"]["verdict"] == "not_eligible_order"


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
    assert (lead.operation, lead.state) == ("lead", "queued")
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


@pytest.mark.parametrize(
    ("_case", "changes", "constraint"),
    [
        (
            "credited through no integration",
            {"integration": None, "external_visitor_id": "", "external_click_id": None,
             "external_touched_at": None},
            "third_party_order_names_integration",
        ),
        (
            "told although nobody is credited",
            {"outcome": "nobody"},
            "order_referral_of_nobody_is_told_to_nobody",
        ),
        (
            "told without an identifier",
            {"external_visitor_id": ""},
            "order_referral_external_is_whole",
        ),
        (
            "told without the visit's time",
            {"external_touched_at": None},
            "order_referral_external_is_whole",
        ),
    ],
)  # fmt: skip
def test_database_refuses_what_may_never_be_told(
    host, integration, client, now, _case, changes, constraint
):
    referral = convert(
        host, client, now, cookie=cookie_of(external_click(integration, now))
    )
    stored = OrderReferral.objects.values().get()

    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        OrderReferral.objects.filter(pk=referral.pk).update(**changes)

    assert OrderReferral.objects.values().get() == stored


def test_database_refuses_a_visitor_of_no_integration(host, client, now):
    referral = convert(host, client, now)

    with (
        pytest.raises(IntegrityError, match="order_referral_external_is_whole"),
        transaction.atomic(),
    ):
        OrderReferral.objects.filter(pk=referral.pk).update(
            external_visitor_id=EXTERNAL_VISITOR
        )

    assert OrderReferral.objects.get().external_visitor_id == ""
