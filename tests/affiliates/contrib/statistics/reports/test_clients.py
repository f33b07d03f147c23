"""What the sales say of affiliates' clients, beside a count by hand."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from affiliates.contracts import RefundKind
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.reports.clients import ClientsWanted, client_figures
from affiliates.contrib.statistics.types import ClientFigures, Span
from affiliates.sales.models import Sale
from tests.factories.plans import CommissionPlanFactory
from tests.factories.world import STARTED_AT, World

LINES = [("hosting", "annually", 10_000)]
FREE = [("hosting", "annually", 0)]
FIRST = STARTED_AT.date()
JANUARY = Span(date(2026, 1, 1), date(2026, 1, 31))
FEBRUARY = Span(date(2026, 2, 1), date(2026, 2, 28))


@pytest.fixture
def world(affiliate, rival, host):
    CommissionPlanFactory(brand=affiliate.brand, is_default=True)
    return World(host=host, brand=affiliate.brand, affiliates=[affiliate, rival])


def buy(world, *, whose=0, lines=LINES, currency="EUR"):
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[whose])
    world.register(visitor)
    order = world.convert(visitor, currency=currency, lines=lines)
    world.pay(order.invoices[0])
    return order


@pytest.fixture
def two_months(world):
    """In January three clients and a free one; in February one renews, one comes."""
    leaves, stays = buy(world), buy(world)
    world.refund(leaves.invoices[0], 5_950, kind=RefundKind.REFUND)
    buy(world, lines=FREE)
    buy(world, whose=1)
    world.pass_by(days=31)
    world.pay(world.renew(stays))
    buy(world)
    return world


def read(world, span, before, **asked):
    wanted = ClientsWanted(brand=world.brand, span=span, before=before, currency="EUR")
    return client_figures(wanted, **asked)


def test_february_beside_january(two_months):
    affiliate, rival = two_months.affiliates
    last_sale = date(2026, 2, 1).toordinal()

    found = read(two_months, FEBRUARY, JANUARY)

    # Three clients bought for 100.00, 50.00 went back, one renewed for 100.00.
    assert found[affiliate.pk] == ClientFigures(
        active=2,
        churned=1,
        paid=2,
        renewals=1,
        clients=4,
        lifetime=35_000,
        last_sale=last_sale,
    )
    assert found[rival.pk] == ClientFigures(
        active=0,
        churned=1,
        clients=1,
        lifetime=10_000,
        last_sale=FIRST.toordinal(),
    )


def test_a_free_invoice_makes_no_client_active(two_months):
    affiliate, _ = two_months.affiliates

    found = read(two_months, JANUARY, JANUARY.before())[affiliate.pk]

    assert (found.active, found.churned, found.paid) == (2, 0, 3)
    assert Sale.objects.filter(net=0).count() == 1


def test_clients_are_counted_as_a_person_would(two_months):
    def clients_of(affiliate, span):
        return {
            sale.order_referral.client_id
            for sale in Sale.objects.select_related("order_referral")
            if sale.order_referral.affiliate_id == affiliate.pk
            and sale.net.amount > 0
            and span.first <= sale.paid_at.date() <= span.last
        }

    for span, before in ((JANUARY, JANUARY.before()), (FEBRUARY, JANUARY)):
        found = read(two_months, span, before)
        for affiliate in two_months.affiliates:
            now, then = clients_of(affiliate, span), clients_of(affiliate, before)
            assert found[affiliate.pk].active == len(now)
            assert found[affiliate.pk].churned == len(then - now)


def test_only_these_affiliates_and_only_what_is_asked_for(
    two_months, django_assert_num_queries
):
    affiliate, rival = two_months.affiliates

    with django_assert_num_queries(1):
        found = read(two_months, FEBRUARY, JANUARY, ids=[rival.pk], fields=["churned"])

    assert found[rival.pk] == ClientFigures(churned=1)
    assert affiliate.pk not in found


def test_amounts_are_of_one_currency(world):
    affiliate, _ = world.affiliates
    buy(world, currency="USD")

    found = read(world, JANUARY, JANUARY.before())[affiliate.pk]

    assert (found.active, found.clients, found.lifetime) == (1, 1, 0)


def test_a_day_belongs_to_the_time_zone_of_the_brand(world):
    affiliate, _ = world.affiliates
    world.brand.time_zone = "Pacific/Auckland"
    world.brand.save()
    buy(world)

    found = read(world, JANUARY, JANUARY.before())[affiliate.pk]

    assert found.last_sale == (FIRST + timedelta(days=1)).toordinal()


def test_metrics_of_clients_as_pages_show_them():
    figures = ClientFigures(
        active=2, churned=1, paid=3, renewals=1, clients=4, lifetime=35_000
    )

    def text(metric, of=figures):
        return metric.text(of, "EUR")

    assert text(metrics.ACTIVE_CLIENTS) == "2"
    assert text(metrics.CHURNED_CLIENTS) == "1"
    assert text(metrics.RENEWAL_SHARE) == "33.3 %"
    assert text(metrics.LIFETIME_VALUE) == "€87.50"
    assert text(metrics.LAST_SALE) == "-"
    day = figures._replace(last_sale=date(2026, 2, 1).toordinal())
    assert text(metrics.LAST_SALE, day) == "1 Feb 2026"
    assert text(metrics.LIFETIME_VALUE, ClientFigures()) == "-"


def test_what_was_read_of_all_is_not_read_again_of_some(
    two_months, django_assert_num_queries
):
    affiliate, rival = two_months.affiliates
    wanted = ClientsWanted(
        brand=two_months.brand, span=FEBRUARY, before=JANUARY, currency="EUR"
    )
    of_all = client_figures(wanted, fields=["active"])

    with django_assert_num_queries(0):
        of_one = client_figures(wanted, ids=[affiliate.pk, 0], fields=["churned"])
    assert dict(of_one) == {affiliate.pk: of_all[affiliate.pk]}
    with django_assert_num_queries(1):
        assert client_figures(wanted, ids=[], fields=["lifetime"]) == {}
