"""The parts of every partition add up to its whole."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, date, datetime

import pytest

from affiliates.contrib.statistics import metrics, selectors
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.reports.clients import ClientsWanted
from affiliates.contrib.statistics.reports.ranking import (
    RANKED_BY,
    RankingWanted,
    fill,
    rank,
    rest_of,
)
from affiliates.contrib.statistics.services import count_changes
from affiliates.contrib.statistics.types import Dimension, Span, sum_of, total_of
from affiliates.referrals.models import OrderReferral
from affiliates.visits.models import Click
from tests.factories.affiliates import AffiliateLinkFactory
from tests.factories.programs import make_partners

DAYS = Span(date(2026, 1, 1), date(2026, 1, 4))
NOW = datetime(2026, 1, 4, 12, tzinfo=UTC)
PARTS = [dimension for dimension in Dimension if dimension is not Dimension.TOTAL]


@pytest.fixture(scope="module")
def kept_world(keep_rows):
    return keep_rows(sell_in_every_way)


@pytest.fixture(params=["counted", "live"])
def world(db, kept_world, request):
    if request.param == "counted":
        count_changes(now=lambda: NOW)
    return deepcopy(kept_world)


def sell_in_every_way():
    """By a link, by the short address, by a coupon alone, in two currencies."""
    world = make_partners("partner", "rival")
    partner, rival = world.affiliates
    buy(world, partner, 30_000)
    buy(world, partner, 20_000, "USD")
    buy(world, rival, 10_000)
    buy(world, partner, 5_000)
    world.visit(world.arrive(), partner)
    clicks = Click.objects.order_by("created_at", "pk")
    link = AffiliateLinkFactory(affiliate=partner, name="Blog")
    clicks.filter(pk=clicks[0].pk).update(
        link=link, sub_id="mail", country="DE", referrer_url="https://blog.example/a"
    )
    app = {"referrer_url": "android-app://com.linkedin.android/"}
    clicks.filter(pk=clicks[1].pk).update(**app)
    latest = OrderReferral.objects.order_by("pk").last()
    OrderReferral.objects.filter(pk=latest.pk).update(
        click_id=None, coupon_code="PARTNER10"
    )
    return world


def buy(world, affiliate, net, currency="EUR"):
    lines = [("hosting", "annually", net)]
    order = world.sell(affiliate, currency=currency, lines=lines)
    world.pay(order.invoices[0])
    return order


@pytest.mark.parametrize("dimension", PARTS)
def test_the_parts_of_an_affiliate_add_up(world, dimension):
    affiliate = world.affiliates[0]
    asked = {"now": NOW, "affiliate_id": affiliate.pk}
    whole = selectors.totals(world.brand.pk, DAYS, **asked)

    rows = selectors.breakdown(world.brand.pk, DAYS, dimension, **asked)

    assert whole.counts.clicks == 4
    assert sum_of(rows) == whole
    few = selectors.breakdown(world.brand.pk, DAYS, dimension, **asked, limit=1)
    assert sum_of(few) == whole


def test_orders_without_a_link_are_named_by_how_they_came(world):
    affiliate = world.affiliates[0]
    asked = {"now": NOW, "affiliate_id": affiliate.pk}

    def of(dimension):
        rows = selectors.breakdown(world.brand.pk, DAYS, dimension, **asked)
        return {
            row.label: (row.statistics.counts.clicks, row.statistics.counts.orders)
            for row in rows
        }

    links = of(Dimension.LINK)
    assert [name for name in links if name.startswith("Blog")]
    assert links["Short address"] == (3, 1)
    assert links["Coupon PARTNER10"] == (0, 1)
    assert "Without a link" not in links
    assert of(Dimension.COUPON)["Coupon PARTNER10"] == (0, 1)
    assert of(Dimension.REFERRER)["com.linkedin.android"] == (1, 1)


@pytest.mark.parametrize("dimension", RANKED_BY)
def test_the_rows_of_a_ranking_and_its_rest_add_up_to_the_brand(world, dimension):
    open_days = OpenDays(dimension, now=NOW, brands=[world.brand])
    whole = selectors.totals(world.brand.pk, DAYS, now=NOW, open_days=open_days)
    clients = ClientsWanted(
        brand=world.brand, span=DAYS, before=DAYS.before(), currency="EUR"
    )
    wanted = RankingWanted(
        clients=clients, dimension=dimension, metric=metrics.NET_REVENUE
    )

    keys = rank(wanted, open_days=open_days)
    rows = fill(wanted, keys, metrics.METRICS, open_days=open_days)
    rest = rest_of(wanted, whole, open_days=open_days)

    assert whole.counts.clicks == 5
    assert total_of([*(row.statistics for row in rows), rest]) == whole
    assert (rest.counts.clicks == 0) == (dimension is Dimension.AFFILIATE)
