"""Counts a brand's days from the rows: clicks, signups, orders, sales, commissions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from django.db.models import Count, DateField, Exists, OuterRef, Q, QuerySet, Value
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.contrib.statistics.day_rows import (
    CommissionRow,
    DaysOfRows,
    Origin,
    Row,
    SaleRow,
    came_by,
    commissions_of,
    lines_of,
    origins,
    sales_of,
    text_of,
)
from affiliates.contrib.statistics.restored_rows import (
    RestoredRow,
    restored_commissions_of,
    restored_of,
)
from affiliates.contrib.statistics.tally import Tally, allocate
from affiliates.contrib.statistics.types import Dimension
from affiliates.core.money import rounded, to_minor
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.models import Click

TallyOf = Callable[[Row], Tally]
_BY_PEOPLE = Q(bot_signs="")


def count_days(days: DaysOfRows, *, with_clicks: bool = True) -> Mapping[date, Tally]:
    """Several days take as many queries as one."""
    tallies = {day: Tally() for day in days.days.days()}
    if with_clicks:
        _count_clicks(days, tallies)
    signups = came_by(days, ClientReferral, "bound_at")
    orders = came_by(days, OrderReferral, "converted_at")
    sales, commissions = sales_of(days), commissions_of(days)
    restored, given_back = restored_of(days), restored_commissions_of(days)
    rows = [*signups, *orders, *sales.values(), *restored, *commissions, *given_back]
    origin = origins(days, {row.click_id for row in rows})

    def tally_of(row: Row) -> Tally:
        return tallies[row.at.astimezone(days.zone).date()]

    for row in signups:
        tally_of(row).add(row.affiliate_id, origin(row), signups=1)
    for row in orders:
        tally_of(row).add(row.affiliate_id, origin(row), orders=1)
    _count_sales(sales.values(), origin, tally_of)
    _count_restored(restored, origin, tally_of)
    earned = days.rows(Commission, "earned_at")
    _count_commissions(days, commissions, earned, origin, tally_of)
    if given_back:
        named = Commission.objects.filter(pk__in={row.pk for row in given_back})
        _count_commissions(days, given_back, named, origin, tally_of)
    return tallies


def _count_clicks(days: DaysOfRows, tallies: Mapping[date, Tally]) -> None:
    counts = {"clicks_": Count("pk"), "human_": Count("pk", filter=_BY_PEOPLE)}
    every = _at_once(_clicks(day).annotate(**counts) for day in days.each())
    for day, affiliate_id, *values, clicks, human in every:
        figures = {"clicks": clicks, "human_clicks": human}
        tallies[day].add(affiliate_id, days.parts(values), **figures)
    # Asked for by itself, and of no cursor: so the database compares each day at once.
    for day, affiliate_id, *values, unique in _at_once(map(_firsts, days.each())):
        tallies[day].add(affiliate_id, days.parts(values), unique_clicks=unique)


def _at_once(found: Iterable[QuerySet[Any, Any]]) -> Iterator[Any]:
    first, *others = found
    return iter(first.union(*others, all=True) if others else first)


def _clicks(day: DaysOfRows) -> QuerySet[Any, Any]:
    its_day = Value(day.days.first, output_field=DateField())
    found: QuerySet[Any, Any] = day.rows(Click, "created_at").annotate(day_=its_day)
    return found.values_list("day_", "affiliate_id", *day.columns)


def _firsts(day: DaysOfRows) -> QuerySet[Any, Any]:
    """The first click of each visitor for an affiliate."""
    start, end = day.moments
    earlier = Click.objects.filter(
        _BY_PEOPLE,
        Q(created_at__lt=OuterRef("created_at"))
        | Q(created_at=OuterRef("created_at"), pk__lt=OuterRef("pk")),
        brand_id=day.brand_id,
        created_at__gte=start,
        created_at__lt=end,
        visitor_id=OuterRef("visitor_id"),
        affiliate_id=OuterRef("affiliate_id"),
    )
    clicks = _clicks(day).filter(_BY_PEOPLE, ~Exists(earlier))
    found: QuerySet[Any, Any] = clicks.annotate(unique_=Count("pk"))
    return found


def _count_sales(sales: Iterable[SaleRow], origin: Origin, tally_of: TallyOf) -> None:
    for sale in sales:
        tally = tally_of(sale)
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
        for product, net, taken in _products_of(sale.lines, currency, reversed_revenue):
            tally.add_part(
                sale.affiliate_id,
                Dimension.PRODUCT,
                product,
                currency=currency,
                sales=1,
                reversals=len(sale.reversals),
                revenue=net,
                reversed_revenue=taken,
            )


def _count_restored(
    restored: Iterable[RestoredRow], origin: Origin, tally_of: TallyOf
) -> None:
    """Lowers the amount taken back on the day of the cancellation."""
    for row in restored:
        tally, currency = tally_of(row), row.net.currency.code
        ended, given_back = -int(row.ends_refund), -to_minor(row.net)
        tally.add(
            row.affiliate_id,
            origin(row),
            currency=currency,
            reversals=ended,
            reversed_revenue=given_back,
        )
        for product, _, part in _products_of(row.lines, currency, given_back):
            tally.add_part(
                row.affiliate_id,
                Dimension.PRODUCT,
                product,
                currency=currency,
                reversals=ended,
                reversed_revenue=part,
            )


def _products_of(
    lines: Sequence[Mapping[str, Any]], currency: str, reversed_revenue: int
) -> Iterator[tuple[str, int, int]]:
    """A sale counts for each of its products; its amounts are split among them."""
    nets = [to_minor(rounded(Money(line["net"], currency))) for line in lines]
    products: dict[str, tuple[int, int]] = {}
    for line, net, taken in zip(
        lines, nets, allocate(reversed_revenue, nets), strict=True
    ):
        before = products.get(line["product_ref"], (0, 0))
        products[line["product_ref"]] = (before[0] + net, before[1] + taken)
    for product, (net, taken) in products.items():
        yield text_of(product), net, taken


def _count_commissions(
    days: DaysOfRows,
    commissions: Iterable[CommissionRow],
    named: QuerySet[Any, Any],
    origin: Origin,
    tally_of: TallyOf,
) -> None:
    lines: Mapping[int, list[tuple[str, int]]] = {}
    if Dimension.PRODUCT in days.dimensions:
        lines = lines_of(named)
    for row in commissions:
        tally = tally_of(row)
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
