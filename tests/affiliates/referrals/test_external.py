"""Orders of clients whom an integration's link sent, alone or beside an own affiliate."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from affiliates.contracts import OrderConversion
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import convert_order
from tests.affiliates.referrals.external_clicks import (
    EXTERNAL_VISITOR,
    NOTHING,
    PERSON,
    convert,
    cookie_of,
    external_click,
    external_fields,
    own_click,
)
from tests.factories.affiliates import BrandFactory
from tests.factories.integrations import TrackingIntegrationFactory


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand, config={"lead_action": "signup"})


@pytest.fixture
def client(host, brand):
    return host.client(brand, email="client@example.com")


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
