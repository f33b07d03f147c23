"""Discounts by coupon codes of affiliates, as a cost of the program."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from moneyed import Money

from affiliates.contracts import InvoiceLine, OrderPlaced, PaidInvoice
from affiliates.contrib.statistics import metrics, selectors
from affiliates.contrib.statistics.services import count_changes
from affiliates.contrib.statistics.types import Dimension, Span
from affiliates.host_events import invoice_paid, order_placed
from tests.factories.plans import CommissionPlanFactory, CouponCodeFactory

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
MARCH = Span(date(2026, 3, 1), date(2026, 3, 31))


def eur(text: str) -> Money:
    return Money(text, "EUR")


def line(product: str, net: str, discount: str) -> InvoiceLine:
    return InvoiceLine(
        description="Hosting",
        product_ref=product,
        kind="hosting",
        billing_cycle="monthly",
        quantity=1,
        net=eur(net),
        discount=eur(discount),
    )


@pytest.fixture
def sold(brand, affiliate, buyer):
    """An order of that many days ago whose invoice has a discount of 10.00."""
    CommissionPlanFactory(brand=brand, is_default=True, rules=[{"percent": 10}])
    CouponCodeFactory(affiliate=affiliate, code="ADA10")

    def sold(days: int, **codes) -> None:
        at = NOW - timedelta(days=days)
        facts = {"brand_id": brand.pk, "order_ref": "order", "invoice_ref": "invoice"}
        placed = OrderPlaced(
            **facts,
            client_id=str(buyer.pk),
            placed_at=at,
            client_paid_before=False,
            **codes,
        )
        order_placed(placed, referral_cookie=None, now=at)
        paid = PaidInvoice(
            **facts,
            payment_ref="payment",
            gross=eur("90.00"),
            lines=(line("web", "60.00", "6.67"), line("mail", "30.00", "3.33")),
            paid_at=at,
        )
        invoice_paid(paid, now=at)
        count_changes(now=lambda: NOW)

    return sold


@pytest.mark.parametrize("days", [0, 4])
def test_a_coupon_codes_discount_is_part_of_the_programs_cost(days, sold, brand):
    sold(days, coupon_codes=("ada10",))

    figures = selectors.totals(brand.pk, MARCH, now=NOW).by_currency["EUR"]

    assert metrics.DISCOUNTS.of(figures) == 1000
    assert metrics.COMMISSION.of(figures) == 900
    assert metrics.PROGRAM_COST.text(figures, "EUR") == "€19.00"
    assert metrics.COST_PERCENT.of(figures) == Decimal(1900) * 100 / 9000


@pytest.mark.parametrize("days", [0, 4])
def test_it_is_split_among_the_products_by_their_net(days, sold, brand):
    sold(days, coupon_codes=("ada10",))

    rows = selectors.breakdown(brand.pk, MARCH, Dimension.PRODUCT, now=NOW)

    assert {
        row.key: row.statistics.by_currency["EUR"].discount for row in rows if row.key
    } == {"web": 666, "mail": 334}


def test_another_discount_beside_a_typed_code_is_no_cost_of_the_program(sold, brand):
    sold(0, coupon_codes=("WELCOME",), affiliate_code="ada10")

    figures = selectors.totals(brand.pk, MARCH, now=NOW).by_currency["EUR"]

    assert (figures.sales, figures.discount) == (1, 0)
