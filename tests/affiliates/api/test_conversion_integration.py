"""From a visit by the tracking integration's link to the sale it is told of."""

from __future__ import annotations

from datetime import timedelta

import pytest
from moneyed import Money

from affiliates.contracts import InvoiceLine, PaidInvoice
from affiliates.host_events import invoice_paid
from affiliates.outbox.models.delivery import Delivery
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import Sale
from affiliates.visits.models import Click
from tests.affiliates.api.calls import (
    CRAWLER,
    SHOP,
    complete,
    convert,
    register,
    register_guest,
    visit,
    visited,
)
from tests.factories.integrations import TrackingIntegrationFactory

BY_INTEGRATION = f"{SHOP}/plans?a_aid=testaff"


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand, config={"lead_action": "signup"})


@pytest.fixture
def buy(outsider, host, clock, now):
    """Converts a basket of the client and pays it; the order's referral."""

    def buy(client, *, cookie=None, after=timedelta(0), pays=True) -> OrderReferral:
        clock.move_to(now + after)
        order = host.order(client)
        outsider.credentials(HTTP_AUTHORIZATION=host.authorization(client))
        answer = convert(
            outsider,
            order,
            payment_details_id=host.payment_details_id(client),
            referral_cookie=cookie,
        )
        assert answer.status_code == 200, answer.content
        referral = OrderReferral.objects.get(order_ref=order)
        if pays:
            invoice_paid(paid(referral, now + after), now=now + after)
        return referral

    return buy


def paid(referral: OrderReferral, at) -> PaidInvoice:
    return PaidInvoice(
        brand_id=referral.brand_id,
        invoice_ref=referral.invoice_ref,
        order_ref=referral.order_ref,
        payment_ref="payment-1",
        gross=Money("11.90", "EUR"),
        lines=(
            InvoiceLine(
                description="Hosting",
                product_ref="product-1",
                kind="hosting",
                billing_cycle="monthly",
                quantity=1,
                net=Money("10.00", "EUR"),
            ),
        ),
        paid_at=at,
    )


def told() -> list[tuple[str, str]]:
    """What is queued and for which visitor, in the order it is sent."""
    return [(one.operation, one.visitor_ref) for one in Delivery.objects.order_by("id")]


def test_click_lead_and_sale_are_told_of_one_visitor_in_that_order(
    api, buyer, buy, integration, clock
):
    cookie = visited(api, BY_INTEGRATION)["referral_cookie"]
    register(api, email="new@example.org", referral_cookie=cookie)
    client = ClientReferral.objects.get().client

    referral = buy(client, cookie=cookie, after=timedelta(days=1))

    assert (referral.outcome, referral.reason) == ("third_party", "third_party_only")
    assert referral.external_affiliate == "testaff"
    assert referral.external_click_id == Click.objects.get().pk
    visitor = referral.external_visitor_id
    assert len(visitor) == 32
    assert told() == [("click", visitor), ("lead", visitor), ("sale", visitor)]
    assert Sale.objects.count() == 0


def test_integration_is_told_of_a_client_who_orders_without_the_cookie(
    api, buy, integration, clock
):
    cookie = visited(api, BY_INTEGRATION)["referral_cookie"]
    register(api, email="new@example.org", referral_cookie=cookie)

    referral = buy(ClientReferral.objects.get().client, after=timedelta(days=90))

    assert referral.decision["external"]["carrier"] == "binding"
    assert [operation for operation, _ in told()] == ["click", "lead", "sale"]


def test_guest_is_a_lead_when_it_completes_its_registration(api, integration, clock):
    cookie = visited(api, BY_INTEGRATION)["referral_cookie"]
    register_guest(api, referral_cookie=cookie)
    assert [operation for operation, _ in told()] == ["click"]
    guest = ClientReferral.objects.get().client
    api.force_authenticate(guest)

    answer = complete(api, guest.pk)

    assert answer.status_code == 200, answer.content
    assert [operation for operation, _ in told()] == ["click", "lead"]


@pytest.mark.parametrize(
    ("policy", "outcome", "sales", "operations"),
    [
        ("own", "credited", 1, ["click"]),
        ("latest", "credited", 1, ["click"]),
        ("third_party", "third_party", 0, ["click", "sale"]),
        ("both", "credited", 1, ["click", "sale"]),
    ],
)
def test_policy_answers_for_a_visit_by_both_links(
    api, brand, buyer, buy, link, integration, clock, policy, outcome, sales, operations
):
    brand.claim_policy = policy
    brand.save()
    cookie = visited(api, f"{SHOP}/aff/{link.hash}?a_aid=testaff")["referral_cookie"]

    referral = buy(buyer, cookie=cookie)

    assert referral.outcome == outcome
    assert Sale.objects.count() == sales
    assert [operation for operation, _ in told()] == operations


@pytest.mark.parametrize(
    ("_case", "first", "outcome", "operations"),
    [
        ("own last", BY_INTEGRATION, "credited", ["click"]),
        ("integration last", None, "third_party", ["click", "sale"]),
    ],
)
def test_whoever_sent_the_client_last_gets_the_sale(
    api, buyer, buy, link, integration, clock, now, _case, first, outcome, operations
):
    own = f"{SHOP}/aff/{link.hash}"
    pages = [first, own] if first else [own, BY_INTEGRATION]
    cookie = None
    for day, page in enumerate(pages):
        clock.move_to(now + timedelta(days=day))
        cookie = visited(api, page, referral_cookie=cookie)["referral_cookie"]

    referral = buy(buyer, cookie=cookie, after=timedelta(days=2))

    assert referral.outcome == outcome
    assert [operation for operation, _ in told()] == operations


def test_robots_visit_makes_no_sale_for_the_integration(
    api, buyer, buy, integration, clock
):
    answer = visit(api, BY_INTEGRATION, user_agent=CRAWLER)
    cookie = answer.json()["data"].get("referral_cookie")

    referral = buy(buyer, cookie=cookie)

    assert (referral.outcome, referral.integration_id) == ("nobody", None)
    assert told() == []


def test_integration_switched_off_between_order_and_payment_keeps_the_sale_visible(
    api, buyer, buy, integration, clock
):
    cookie = visited(api, BY_INTEGRATION)["referral_cookie"]
    referral = buy(buyer, cookie=cookie, pays=False)
    integration.is_active = False
    integration.save()

    invoice_paid(paid(referral, referral.converted_at), now=referral.converted_at)

    sale = Delivery.objects.get(operation="sale")
    assert (sale.state, sale.next_at) == ("given_up", None)
    assert sale.detail == "The integration was switched off."
