"""The order of the parts of a brand's numbers, and the coupon as one of them."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest

from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.models import DailyFigures
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.reports.clients import ClientsWanted
from affiliates.contrib.statistics.reports.ranking import RankingWanted, fill, rank
from affiliates.contrib.statistics.services import count_changes
from affiliates.contrib.statistics.types import Dimension, Span
from affiliates.referrals.models import OrderReferral
from tests.factories.affiliates import AffiliateLinkFactory, ClickFactory
from tests.factories.programs import make_partners

DAYS = Span(date(2026, 1, 1), date(2026, 1, 2))
COUNTED_AT = datetime(2026, 1, 4, tzinfo=UTC)


@pytest.fixture(scope="module")
def kept_world(keep_rows):
    return keep_rows(sell_on_two_days)


@pytest.fixture
def world(db, kept_world):
    """The affiliate sells for 300.00 by 3 clicks, its rival for 200.00 by one."""
    return deepcopy(kept_world)


def sell_on_two_days():
    world = make_partners("partner", "rival")
    buy(world, 0, 30_000)
    world.visit(world.arrive(), world.affiliates[0])
    world.visit(world.arrive(), world.affiliates[0])
    world.pass_by(days=1)
    buy(world, 1, 20_000)
    return world


def buy(world, whose, net, currency="EUR"):
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[whose])
    world.register(visitor)
    lines = [("hosting", "annually", net)]
    order = world.convert(visitor, currency=currency, lines=lines)
    world.pay(order.invoices[0])
    return order


def ranked(world, metric, *, dimension=Dimension.AFFILIATE, now=COUNTED_AT, **asked):
    clients = ClientsWanted(
        brand=world.brand, span=DAYS, before=DAYS.before(), currency="EUR"
    )
    wanted = RankingWanted(clients=clients, dimension=dimension, metric=metric, **asked)
    open_days = OpenDays(dimension, now=now)
    keys = rank(wanted, open_days=open_days)
    rows = fill(wanted, keys, [metric], open_days=open_days)
    return [(row.key, row.figures(metric, "EUR")) for row in rows]


def values(world, metric, **asked):
    return [(key, metric.text(of, "EUR")) for key, of in ranked(world, metric, **asked)]


@pytest.mark.parametrize("is_counted", [True, False])
@pytest.mark.parametrize(
    ("metric", "of_affiliate", "of_rival"),
    [
        (metrics.NET_REVENUE, "€300.00", "€200.00"),
        (metrics.COMMISSION, "€30.00", "€20.00"),
        (metrics.UNIQUE_CLICKS, "3", "1"),
        (metrics.EPC, "€10.00", "€20.00"),
        (metrics.CONVERSION_RATE, "33.3 %", "100.0 %"),
        (metrics.ACTIVE_CLIENTS, "1", "1"),
        (metrics.LIFETIME_VALUE, "€300.00", "€200.00"),
        (metrics.LAST_SALE, "1 Jan 2026", "2 Jan 2026"),
    ],
)
def test_by_any_metric_in_both_orders(
    world, metric, of_affiliate, of_rival, is_counted
):
    if is_counted:
        count_changes(now=lambda: COUNTED_AT)
    affiliate, rival = world.affiliates
    both = [(affiliate.pk, of_affiliate), (rival.pk, of_rival)]
    clicks = metrics.EPC, metrics.CONVERSION_RATE, metrics.LAST_SALE
    best_first = both[::-1] if metric in clicks else both
    is_even = metric is metrics.ACTIVE_CLIENTS

    assert values(world, metric) == best_first
    turned = values(world, metric, is_descending=False)
    assert turned == (best_first if is_even else best_first[::-1])


def test_counts_are_of_all_currencies_and_amounts_of_one(world):
    affiliate, rival = world.affiliates
    buy(world, 1, 90_000, "USD")
    count_changes(now=lambda: COUNTED_AT)

    assert values(world, metrics.SALES) == [(rival.pk, "2"), (affiliate.pk, "1")]
    by_revenue = values(world, metrics.NET_REVENUE)
    assert by_revenue == [(affiliate.pk, "€300.00"), (rival.pk, "€200.00")]


def test_what_divides_by_nothing_comes_last_in_both_orders(world):
    affiliate, rival = world.affiliates
    _, end = DAYS
    link = AffiliateLinkFactory(affiliate=affiliate)
    at = datetime(end.year, end.month, end.day, 9, tzinfo=UTC)
    robot = {"visitor_id": uuid4(), "bot_signs": "user_agent"}
    ClickFactory(affiliate=affiliate, link=link, created_at=at, **robot)
    other = AffiliateLinkFactory(affiliate=rival)
    ClickFactory(affiliate=rival, link=other, created_at=at, visitor_id=uuid4())
    asked = {"dimension": Dimension.LINK}

    for is_descending in (True, False):
        found = values(
            world, metrics.CONVERSION_RATE, is_descending=is_descending, **asked
        )
        assert found == [(str(other.pk), "0.0 %"), (str(link.pk), "-")]
    by_robots = values(world, metrics.ROBOT_SHARE, **asked)
    assert by_robots == [(str(link.pk), "100.0 %"), (str(other.pk), "0.0 %")]


def test_an_order_counts_for_its_coupon_with_all_that_follows(world):
    first = OrderReferral.objects.order_by("pk").first()
    OrderReferral.objects.filter(pk=first.pk).update(coupon_code="spring")
    count_changes(now=lambda: COUNTED_AT)
    asked = {"dimension": Dimension.COUPON}

    assert values(world, metrics.ORDERS, **asked) == [("spring", "1")]
    assert values(world, metrics.NET_REVENUE, **asked) == [("spring", "€300.00")]
    assert values(world, metrics.COMMISSION, **asked) == [("spring", "€30.00")]
    # For the brand and for the affiliate: the order, and its sale with its commission.
    rows = DailyFigures.objects.filter(dimension=Dimension.COUPON)
    assert set(rows.values_list("affiliate_id", "currency")) == {
        (whose, currency)
        for whose in (None, first.affiliate_id)
        for currency in ("", "EUR")
    }
    assert not rows.exclude(clicks=0).exists()


def test_days_outside_of_the_span_are_left_out(world):
    world.pass_by(days=1)
    buy(world, 1, 90_000)
    now = world.now + timedelta(days=1)

    assert ranked(world, metrics.SALES, now=now)[0][1].sales == 1
