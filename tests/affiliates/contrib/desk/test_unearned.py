"""Orders that earned nothing: each under the one cause that explains it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contracts import RefundKind
from affiliates.contrib.desk.unearned import CAUSES, cause_of, count_by_cause, unearned
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome, Reason
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.world import STARTED_AT, World

PAGE = "admin:affiliates_brand_unearned"
DAY = (STARTED_AT - timedelta(hours=12), STARTED_AT + timedelta(hours=12))
LINES = [("hosting", "annually", 10_000)]
WORLD_DAYS = {"span": "custom", "first_day": "2026-01-01", "last_day": "2026-01-01"}


@pytest.fixture
def world(affiliate, host):
    # The affiliate's own: the brand has no default plan.
    affiliate.plan = CommissionPlanFactory(brand=affiliate.brand)
    affiliate.save()
    return World(host=host, brand=affiliate.brand, affiliates=[affiliate])


@pytest.fixture
def buy(world):
    def buy(*, sent=True, paid=True, lines=LINES):
        visitor = world.arrive()
        if sent:
            world.visit(visitor, world.affiliates[0])
        world.register(visitor)
        order = world.convert(visitor, currency="EUR", lines=lines)
        if paid:
            world.pay(order.invoices[0])
        return order

    return buy


@pytest.fixture
def everything(world, buy):
    """An order for each cause, and three that earn or may still."""
    affiliate = world.affiliates[0]
    buy()
    buy(sent=False)
    buy(sent=False)
    buy(paid=False)
    world.refund(buy().invoices[0], 11_900, kind=RefundKind.REFUND)
    world.refund(buy().invoices[0], 1_000, kind=RefundKind.REFUND)
    rejected, held = buy(), buy()
    set_status(rejected, CommissionStatus.REJECTED)
    set_status(held, CommissionStatus.HELD)
    buy(lines=[("hosting", "annually", 0)])
    affiliate.plan = None
    affiliate.save()
    buy()


def set_status(order, status):
    of_order = Commission.objects.filter(sale__order_referral__order_ref=order.ref)
    assert of_order.update(status=status) == 1


def found(brand, moments=DAY):
    return {one.name: one.count for one in count_by_cause(unearned(brand.pk, moments))}


def test_each_order_is_counted_once_under_its_cause(everything, brand):
    assert found(brand) == {
        "nobody:no_touch": 2,
        "unpaid": 1,
        "refunded": 1,
        "rejected": 1,
        "no_plan": 1,
        "nothing_by_plan": 1,
    }


def test_only_of_the_days_and_the_brand(everything, brand):
    other = BrandFactory(name="Other", client_area="other.example.com")
    first, end = DAY

    assert found(other) == {}
    assert found(brand, (end, end + timedelta(days=1))) == {}
    assert found(brand, (first, STARTED_AT)) == {}
    assert sum(found(brand, (STARTED_AT, end)).values()) == 7


def test_what_the_integration_was_credited_for_is_not_among_them(
    world, buy, brand, integrate
):
    order = buy(sent=False)
    integration = integrate()
    OrderReferral.objects.filter(order_ref=order.ref).update(
        outcome=Outcome.THIRD_PARTY,
        reason=Reason.THIRD_PARTY_ONLY,
        integration=integration,
        external_visitor_id="v",
        external_touched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )

    assert found(brand) == {}


def test_every_reason_to_credit_nobody_has_its_next_step():
    of_nobody = {
        Reason.NO_TOUCH,
        Reason.NO_ELIGIBLE_TOUCH,
        Reason.EXISTING_CLIENT,
        Reason.PROGRAM_OFF,
        Reason.STAFF,
    }

    assert {f"nobody:{reason.value}" for reason in of_nobody} <= set(CAUSES)
    assert all(cause.next_step and cause.words for cause in CAUSES.values())


def test_a_reason_without_advice_says_its_own_words():
    assert cause_of("nobody:coupon").words == Reason.COUPON.label
    assert cause_of("nobody:of-a-later-release").words == "of-a-later-release"


def test_page_counts_and_leads_to_the_orders(everything, brand, admin_client):
    asked = {"brand": brand.pk, **WORLD_DAYS}

    page = admin_client.get(reverse(PAGE), asked)
    rows = admin_client.get(reverse(PAGE), {**asked, "cause": "nobody:no_touch"})

    assert page.context["total"] == 7
    counts = {one.name: one.count for one, _ in page.context["causes"]}
    assert counts["nobody:no_touch"] == len(rows.context["rows"]) == 2
    for order, _ in rows.context["rows"]:
        link = reverse("admin:affiliates_orderreferral_change", args=[order.pk])
        assert f'href="{link}"' in rows.content.decode()


@pytest.mark.parametrize("cause", CAUSES)
def test_rows_of_a_cause_are_as_many_as_counted(everything, brand, admin_client, cause):
    page = admin_client.get(
        reverse(PAGE), {"brand": brand.pk, **WORLD_DAYS, "cause": cause}
    )

    assert len(page.context["rows"]) == found(brand).get(cause, 0)


def test_page_of_a_brand_without_orders_and_of_no_brand(db, admin_client):
    empty = admin_client.get(reverse(PAGE)).content.decode()
    BrandFactory()
    nothing = admin_client.get(reverse(PAGE)).content.decode()

    assert "There is no brand, so there are no orders." in empty
    assert "Every order of these days earned something, or there were none." in nothing


def test_page_asks_little(
    everything, brand, admin_client, django_assert_max_num_queries
):
    asked = {"brand": brand.pk, **WORLD_DAYS, "cause": "unpaid"}

    with django_assert_max_num_queries(15):
        admin_client.get(reverse(PAGE), asked)


def test_page_is_not_for_everybody(client, brand, host):
    client.force_login(host.client(brand, email="helper@example.com"))

    assert client.get(reverse(PAGE)).status_code == 302
