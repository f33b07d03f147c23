"""Clients by month of signup, beside a count by hand."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest
from djmoney.money import Money

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contracts import RefundKind
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.reports.cohorts import Cohort, cohorts
from affiliates.core.money import from_minor
from affiliates.referrals.models import ClientReferral
from affiliates.sales.models import Sale
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.world import World

LINES = [("hosting", "annually", 10_000)]
JANUARY, FEBRUARY, MARCH = (date(2026, month, 1) for month in (1, 2, 3))


@pytest.fixture
def world(affiliate, host):
    CommissionPlanFactory(brand=affiliate.brand, is_default=True)
    return World(host=host, brand=affiliate.brand, affiliates=[affiliate])


def buy(world, currency="EUR", lines=LINES):
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[0])
    world.register(visitor)
    order = world.convert(visitor, currency=currency, lines=lines)
    world.pay(order.invoices[0])
    return order


@pytest.fixture
def three_months(world):
    """Two clients in January, one in February; both renew later, one gets money back."""
    first, second = buy(world), buy(world)
    world.refund(second.invoices[0], 5_950, kind=RefundKind.REFUND)
    world.pass_by(days=31)
    third = buy(world)
    world.pay(world.renew(first))
    world.pass_by(days=28)
    world.pay(world.renew(first))
    world.pay(world.renew(third))
    return world


def read(world, metric, *, currency="EUR", count=3):
    return cohorts(world.brand, metric, currency=currency, count=count, now=world.now)


def test_net_revenue_by_month_since_signup(three_months):
    assert read(three_months, metrics.NET_REVENUE) == [
        Cohort(MARCH, 0, [0]),
        Cohort(FEBRUARY, 1, [10_000, 10_000]),
        Cohort(JANUARY, 2, [15_000, 10_000, 10_000]),
    ]


def test_commission_and_active_clients_by_month_since_signup(three_months):
    assert [one.values for one in read(three_months, metrics.COMMISSION)] == [
        [0],
        [1_000, 1_000],
        [1_500, 1_000, 1_000],
    ]
    assert [one.values for one in read(three_months, metrics.ACTIVE_CLIENTS)] == [
        [0],
        [1, 1],
        [2, 1, 1],
    ]


def test_rejected_commission_is_not_earned(three_months):
    sold = Commission.objects.order_by("pk").first()
    Commission.objects.filter(pk=sold.pk).update(status=CommissionStatus.REJECTED)

    january = read(three_months, metrics.COMMISSION)[-1]

    assert january.values == [500, 1_000, 1_000]
    assert january.total == 2_500


def test_revenue_is_what_a_person_would_add_up(three_months):
    signups = {
        one.client_id: one.bound_at.date().replace(day=1)
        for one in ClientReferral.objects.all()
    }
    expected: Counter[date] = Counter()
    for sale in Sale.objects.select_related("order_referral"):
        taken = sum((one.net for one in sale.reversals.all()), Money(0, "EUR"))
        left = int((sale.net + taken).amount * 100)
        expected[signups[sale.order_referral.client_id]] += left

    found = {one.month: one.total for one in read(three_months, metrics.NET_REVENUE)}

    assert found == {MARCH: 0, **expected}


def test_refund_that_was_cancelled_in_parts_leaves_the_whole_revenue(world):
    """As binary fractions the parts are not quite the whole."""
    order = buy(world, "KWD", [("hosting", "annually", 9_007_951)])
    world.refund(order.invoices[0], 10_719_461, kind=RefundKind.REFUND, ref="refund-1")
    for part in (4_764_730, 107_194, None):
        money = part and from_minor(part, "KWD")
        assert world.cancel_refund("refund-1", money)
    world.pass_by(days=31)
    world.pay(world.renew(order))

    (january, _) = read(world, metrics.NET_REVENUE, currency="KWD", count=2)[::-1]

    assert january.values == [9_007_951, 9_007_951]


def test_only_of_the_currency_the_brand_and_the_months_asked_for(three_months):
    buy(three_months, currency="USD")
    other = World(
        host=three_months.host,
        brand=BrandFactory(name="Other", client_area="other.example.com"),
        affiliates=[],
        now=three_months.now,
    )

    assert read(three_months, metrics.NET_REVENUE, count=1) == [Cohort(MARCH, 1, [0])]
    assert read(three_months, metrics.NET_REVENUE, currency="USD", count=1) == [
        Cohort(MARCH, 1, [10_000])
    ]
    assert read(other, metrics.NET_REVENUE, count=2) == [
        Cohort(MARCH, 0, [0]),
        Cohort(FEBRUARY, 0, [0, 0]),
    ]


def test_months_are_of_the_brands_time_zone(world):
    world.brand.time_zone = "Pacific/Auckland"
    world.brand.save()
    # 11:30 on 1 February there, 22:30 on 31 January in UTC.
    world.pass_by(days=30, hours=10, minutes=30)
    buy(world)

    found = read(world, metrics.NET_REVENUE, count=2)

    assert found == [Cohort(FEBRUARY, 1, [10_000]), Cohort(JANUARY, 0, [0, 0])]
