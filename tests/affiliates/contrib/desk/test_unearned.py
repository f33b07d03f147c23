"""Orders that earned nothing: each under the one cause that explains it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
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
from tests.factories.programs import make_partners
from tests.factories.world import STARTED_AT

PAGE = "admin:affiliates_brand_unearned"
DAY = (STARTED_AT - timedelta(hours=12), STARTED_AT + timedelta(hours=12))
LINES = [("hosting", "annually", 10_000)]
WORLD_DAYS = {"span": "custom", "first_day": "2026-01-01", "last_day": "2026-01-01"}


@pytest.fixture(scope="module")
def kept_world(keep_rows):
    return keep_rows(buy_for_each_cause)


@pytest.fixture(autouse=True)
def world(db, kept_world):
    """An order for each cause, and three that earn or may still."""
    return deepcopy(kept_world)


@pytest.fixture
def brand(world):
    return world.brand


def buy(world, *, sent=True, paid=True, lines=LINES):
    visitor = world.arrive()
    if sent:
        world.visit(visitor, world.affiliates[0])
    world.register(visitor)
    order = world.convert(visitor, currency="EUR", lines=lines)
    if paid:
        world.pay(order.invoices[0])
    return order


def buy_for_each_cause():
    world = make_partners("partner")
    buy(world)
    buy(world, sent=False)
    buy(world, sent=False)
    buy(world, paid=False)
    world.refund(buy(world).invoices[0], 11_900, kind=RefundKind.REFUND)
    world.refund(buy(world).invoices[0], 1_000, kind=RefundKind.REFUND)
    rejected, held = buy(world), buy(world)
    set_status(rejected, CommissionStatus.REJECTED)
    set_status(held, CommissionStatus.HELD)
    buy(world, lines=[("hosting", "annually", 0)])
    world.brand.plans.update(is_default=False)
    buy(world)
    return world


def set_status(order, status):
    of_order = Commission.objects.filter(sale__order_referral__order_ref=order.ref)
    assert of_order.update(status=status) == 1


def found(brand, moments=DAY):
    return {one.name: one.count for one in count_by_cause(unearned(brand.pk, moments))}


def test_each_order_is_counted_once_under_its_cause(brand):
    assert found(brand) == {
        "nobody:no_touch": 2,
        "unpaid": 1,
        "refunded": 1,
        "rejected": 1,
        "no_plan": 1,
        "nothing_by_plan": 1,
    }


def test_only_of_the_days_and_the_brand(brand):
    other = BrandFactory(name="Other", client_area="other.example.com")
    first, end = DAY

    assert found(other) == {}
    assert found(brand, (end, end + timedelta(days=1))) == {}
    assert found(brand, (first, STARTED_AT)) == {}
    assert sum(found(brand, (STARTED_AT, end)).values()) == 7


def test_what_the_integration_was_credited_for_is_not_among_them(
    world, brand, integrate
):
    others = found(brand)
    order = buy(world, sent=False)
    integration = integrate()
    OrderReferral.objects.filter(order_ref=order.ref).update(
        outcome=Outcome.THIRD_PARTY,
        reason=Reason.THIRD_PARTY_ONLY,
        integration=integration,
        external_visitor_id="v",
        external_touched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )

    assert found(brand) == others


def test_order_of_an_invoice_that_is_not_its_initial_one_is_among_them(world, brand):
    others = found(brand)
    upgraded, of_nobody = buy(world), buy(world, sent=False)
    for order in (upgraded, of_nobody):
        world.pay(replace(order.invoices[0], ref=f"upgrade of {order.ref}"))

    assert found(brand) == others | {
        "not_initial_invoice": 1,
        "nobody:no_touch": others["nobody:no_touch"] + 1,
    }


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


def test_page_counts_and_leads_to_the_orders(brand, admin_client):
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
def test_rows_of_a_cause_are_as_many_as_counted(brand, admin_client, cause):
    page = admin_client.get(
        reverse(PAGE), {"brand": brand.pk, **WORLD_DAYS, "cause": cause}
    )

    assert len(page.context["rows"]) == found(brand).get(cause, 0)


def test_page_asks_little(brand, admin_client, django_assert_max_num_queries):
    asked = {"brand": brand.pk, **WORLD_DAYS, "cause": "unpaid"}

    with django_assert_max_num_queries(15):
        admin_client.get(reverse(PAGE), asked)


def test_page_is_not_for_everybody(client, brand, host):
    client.force_login(host.client(brand, email="helper@example.com"))

    assert client.get(reverse(PAGE)).status_code == 302
