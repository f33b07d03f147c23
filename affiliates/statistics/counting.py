"""Counts a brand's day from its rows: clicks, signups, orders, sales, commissions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Count, Exists, OuterRef, Q
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.core.money import rounded, to_minor
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.statistics.day_rows import (
    CommissionRow,
    DayOfRows,
    Origin,
    SaleRow,
    came_by,
    commissions_of,
    lines_of,
    origins,
    sales_of,
    text_of,
)
from affiliates.statistics.tally import Tally, allocate
from affiliates.statistics.types import Dimension
from affiliates.visits.models import Click


def count_day(day: DayOfRows, *, with_clicks: bool = True) -> Tally:
    tally = Tally()
    if with_clicks:
        _count_clicks(day, tally)
    signups = came_by(day, ClientReferral, "bound_at")
    orders = came_by(day, OrderReferral, "converted_at")
    sales, commissions = sales_of(day), commissions_of(day)
    rows = [*signups, *orders, *sales.values(), *commissions]
    origin = origins(day, {row.click_id for row in rows})
    for row in signups:
        tally.add(row.affiliate_id, origin(row), signups=1)
    for row in orders:
        tally.add(row.affiliate_id, origin(row), orders=1)
    _count_sales(sales.values(), origin, tally)
    _count_commissions(day, commissions, origin, tally)
    return tally


def _count_clicks(day: DayOfRows, tally: Tally) -> None:
    by_people = Q(bot_signs="")
    clicks = day.rows(Click, "created_at").values_list("affiliate_id", *day.columns)
    counted = clicks.annotate(clicks_=Count("pk"), human_=Count("pk", filter=by_people))
    for affiliate_id, *values, every, human in counted:
        parts = day.parts(values)
        tally.add(affiliate_id, parts, clicks=every, human_clicks=human)
    # Asked for by itself, and of no cursor: so the database compares the day at once.
    earlier = Click.objects.filter(
        by_people,
        Q(created_at__lt=OuterRef("created_at"))
        | Q(created_at=OuterRef("created_at"), pk__lt=OuterRef("pk")),
        brand_id=day.brand_id,
        created_at__gte=day.start,
        created_at__lt=day.end,
        visitor_id=OuterRef("visitor_id"),
        affiliate_id=OuterRef("affiliate_id"),
    )
    firsts = clicks.filter(by_people, ~Exists(earlier)).annotate(unique_=Count("pk"))
    for affiliate_id, *values, unique in firsts:
        tally.add(affiliate_id, day.parts(values), unique_clicks=unique)


def _count_sales(sales: Iterable[SaleRow], origin: Origin, tally: Tally) -> None:
    for sale in sales:
        currency = sale.net.currency.code
        reversed_revenue = -sum(map(to_minor, sale.reversals))
        tally.add(
            sale.affiliate_id,
            origin(sale),
            currency=currency,
            sales=1,
            reversals=len(sale.reversals),
            revenue=to_minor(sale.net),
            reversed_revenue=reversed_revenue,
        )
        if sale.lines:
            _add_products(tally, sale, currency, reversed_revenue)


def _add_products(
    tally: Tally, sale: SaleRow, currency: str, reversed_revenue: int
) -> None:
    """A sale counts for each of its products; its amounts are shared between them."""
    nets = [to_minor(rounded(Money(line["net"], currency))) for line in sale.lines]
    products: dict[str, tuple[int, int]] = {}
    for line, net, taken in zip(
        sale.lines, nets, allocate(reversed_revenue, nets), strict=True
    ):
        before = products.get(line["product_ref"], (0, 0))
        products[line["product_ref"]] = (before[0] + net, before[1] + taken)
    for product, (net, taken) in products.items():
        tally.add_part(
            sale.affiliate_id,
            Dimension.PRODUCT,
            text_of(product),
            currency=currency,
            sales=1,
            reversals=len(sale.reversals),
            revenue=net,
            reversed_revenue=taken,
        )


def _count_commissions(
    day: DayOfRows, commissions: Iterable[CommissionRow], origin: Origin, tally: Tally
) -> None:
    lines: Mapping[int, list[tuple[str, int]]] = {}
    if Dimension.PRODUCT in day.dimensions:
        lines = lines_of(day.rows(Commission, "earned_at"))
    for row in commissions:
        tally.add(row.affiliate_id, origin(row), currency=row.currency, **row.figures)
        products = lines.get(row.pk, [])
        weights = [weight for _, weight in products]
        for name, whole in row.figures.items():
            for (product, _), part in zip(
                products, allocate(whole, weights), strict=True
            ):
                tally.add_part(
                    row.affiliate_id,
                    Dimension.PRODUCT,
                    product,
                    currency=row.currency,
                    **{name: part},
                )
