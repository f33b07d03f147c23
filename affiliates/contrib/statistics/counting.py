"""Counts a brand's days from the rows: clicks, signups, orders, sales, commissions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import (
    Count,
    DateField,
    Exists,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
)
from moneyed import Money, get_currency

from affiliates.commissions.models import Commission, CommissionLine, CommissionReversal
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.statistics.day_rows import DaysOfRows, text_of
from affiliates.contrib.statistics.tally import Parts, Tally, allocate
from affiliates.contrib.statistics.types import Dimension
from affiliates.core.money import rounded_minor, to_minor
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import Sale, SaleReversal
from affiliates.sales.selectors import ending_cancellations
from affiliates.visits.models import Click

_BY_PEOPLE = Q(bot_signs="")


def count_days(days: DaysOfRows, *, with_clicks: bool = True) -> Mapping[date, Tally]:
    """Several days take as many queries as one."""
    tallies = {day: Tally() for day in days.days.days()}
    if with_clicks:
        _count_clicks(days, tallies)
    facts = list(facts_of(days))
    origins = _origins(days, {fact.click_id for fact in facts if fact.click_id})
    for fact in facts:
        tallies[fact.at.astimezone(days.zone).date()].add(
            fact.affiliate_id,
            fact.figures,
            {
                **origins.get((fact.click_id, fact.affiliate_id), {}),
                Dimension.COUPON: fact.coupon,
            },
            products=fact.by_product(),
            currency=fact.currency,
        )
    return tallies


def _count_clicks(days: DaysOfRows, tallies: Mapping[date, Tally]) -> None:
    counts = {"clicks_": Count("pk"), "human_": Count("pk", filter=_BY_PEOPLE)}
    every = _at_once(_clicks(day).annotate(**counts) for day in days.each())
    for day, affiliate_id, *values, clicks, human in every:
        figures = {"clicks": clicks, "human_clicks": human}
        tallies[day].add(affiliate_id, figures, days.parts(values))
    # Asked for by itself, and of no cursor: so the database compares each day at once.
    for day, affiliate_id, *values, unique in _at_once(map(_firsts, days.each())):
        tallies[day].add(affiliate_id, {"unique_clicks": unique}, days.parts(values))


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


def _origins(
    days: DaysOfRows, click_ids: Collection[UUID]
) -> Mapping[tuple[UUID | None, int | None], Parts]:
    """The parts of clicks, by the click and its affiliate."""
    clicks = Click.objects.filter(pk__in=click_ids if days.columns else ())
    rows = clicks.values_list("pk", "affiliate_id", *days.columns)
    return {(pk, whose): days.parts(values) for pk, whose, *values in rows}


class Fact(NamedTuple):
    """What a row adds. ``lines``: the product and weight of each line of its invoice.

    ``coupon``: the affiliate's coupon code on its order.
    """

    at: datetime
    affiliate_id: int
    click_id: UUID | None
    figures: Mapping[str, int]
    coupon: str = ""
    currency: str = ""
    lines: Sequence[tuple[str, int]] = ()

    def by_product(self) -> Mapping[str, Mapping[str, int]]:
        """It counts for each of its products; its amounts are split among the lines."""
        found: dict[str, dict[str, int]] = {product: {} for product, _ in self.lines}
        weights = [weight for _, weight in self.lines]
        for name, whole in self.figures.items():
            if name in _COUNTS:
                for figures in found.values():
                    figures[name] = whole
                continue
            parts = weights if name == "revenue" else allocate(whole, weights)
            for (product, _), part in zip(self.lines, parts, strict=True):
                found[product][name] = found[product].get(name, 0) + part
        return found


_COUNTS = ("sales", "reversals")


def facts_of(days: DaysOfRows) -> Iterator[Fact]:
    """All but clicks. A cancelled refund counts on the day of its cancellation."""
    yield from _referrals(days, ClientReferral, "bound_at", "signups")
    yield from _referrals(days, OrderReferral, "converted_at", "orders")
    yield from _sales(days)
    yield from _restored_sales(days)
    yield from _commissions(days)


def _referrals(
    days: DaysOfRows, model: type[Any], moment: str, figure: str
) -> Iterator[Fact]:
    coupon = "coupon_code" if model is OrderReferral else Value("")
    rows = days.rows(model, moment)
    columns = (moment, "affiliate_id", "click_id", coupon)
    for at, affiliate_id, click_id, code in rows.values_list(*columns):
        yield Fact(at, affiliate_id, click_id, {figure: 1}, code)


def _sales(days: DaysOfRows) -> Iterator[Fact]:
    by_refunds = Q(reversals__cancellation=None)
    affiliate = "order_referral__affiliate_id"
    sales = days.rows(Sale, "paid_at", affiliate=affiliate).annotate(
        times_=Count("reversals", filter=by_refunds),
        taken_=Sum("reversals__net", filter=by_refunds, default=0),
    )
    for (
        at,
        affiliate_id,
        click_id,
        coupon,
        currency,
        net,
        times,
        taken,
        lines,
    ) in sales.values_list(
        "paid_at",
        affiliate,
        "order_referral__click_id",
        "order_referral__coupon_code",
        "net_currency",
        "net",
        "times_",
        "taken_",
        _lines(days, "payment__lines"),
    ):
        figures = {
            "sales": 1,
            "reversals": times,
            "revenue": to_minor(Money(net, currency)),
            "reversed_revenue": -to_minor(Money(taken, currency)),
        }
        products = _products(lines, currency)
        yield Fact(at, affiliate_id, click_id, figures, coupon, currency, products)


def _restored_sales(days: DaysOfRows) -> Iterator[Fact]:
    moment = "cancellation__cancelled_at"
    affiliate = "sale__order_referral__affiliate_id"
    rows = days.rows(SaleReversal, moment, affiliate=affiliate, brand="sale__brand")
    found = list(
        rows.values_list(
            moment,
            affiliate,
            "sale__order_referral__click_id",
            "sale__order_referral__coupon_code",
            "net_currency",
            "net",
            _lines(days, "sale__payment__lines"),
            "cancellation_id",
            "cancellation__refund_ref",
        )
    )
    refunds = {refund for *_, refund in found}
    ending = ending_cancellations(days.brand_id, refunds) if refunds else ()
    for at, affiliate_id, click_id, coupon, currency, net, lines, pk, _ in found:
        figures = {
            "reversals": -int(pk in ending),
            "reversed_revenue": -to_minor(Money(net, currency)),
        }
        products = _products(lines, currency)
        yield Fact(at, affiliate_id, click_id, figures, coupon, currency, products)


def _lines(days: DaysOfRows, path: str) -> Any:
    """The invoice's lines, if they are wanted."""
    none = Value(None, output_field=JSONField())
    return path if Dimension.PRODUCT in days.dimensions else none


def _products(
    lines: Sequence[Mapping[str, Any]] | None, currency: str
) -> list[tuple[str, int]]:
    known = get_currency(currency)
    return [
        (text_of(line["product_ref"]), rounded_minor(line["net"], known))
        for line in lines or ()
    ]


def _commissions(days: DaysOfRows) -> Iterator[Fact]:
    """Each as its refunds left it, and what cancellations restored of it."""
    by_refunds = Q(reversals__sale_reversal__cancellation=None)
    change = Sum("reversals__amount", filter=by_refunds, default=0)
    commissions = days.rows(Commission, "earned_at").annotate(change_=change)
    earned = commissions.values_list(
        "earned_at",
        "affiliate_id",
        "sale__order_referral__click_id",
        "sale__order_referral__coupon_code",
        "currency",
        "pk",
        "status",
        "amount",
        "change_",
    )
    moment = "sale_reversal__cancellation__cancelled_at"
    affiliate, brand = "commission__affiliate_id", "commission__brand"
    reversals = days.rows(CommissionReversal, moment, affiliate=affiliate, brand=brand)
    restored = reversals.values_list(
        moment,
        affiliate,
        "commission__sale__order_referral__click_id",
        "commission__sale__order_referral__coupon_code",
        "commission__currency",
        "commission_id",
        "commission__status",
        Value(0),
        "amount",
    )
    found = [*earned, *restored]
    lines = _lines_of(days, {pk for *_, pk, _, _, _ in found})
    for at, whose, click_id, coupon, currency, pk, status, amount, change in found:
        figures = _figures_of(status, amount, int(change))
        yield Fact(at, whose, click_id, figures, coupon, currency, lines.get(pk, ()))


def _figures_of(status: str, amount: int, change: int) -> dict[str, int]:
    """A rejected one was rejected as a whole; of the others refunds may have taken."""
    if status == CommissionStatus.REJECTED:
        return {status: amount}
    if status == CommissionStatus.REVERSED:
        return {"taken_back": -change}
    return {status: amount + change, "taken_back": -change}


def _lines_of(
    days: DaysOfRows, commission_ids: Collection[int]
) -> Mapping[int, list[tuple[str, int]]]:
    lines: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    if Dimension.PRODUCT in days.dimensions:
        rows = CommissionLine.objects.filter(commission__in=commission_ids)
        columns = ("commission_id", "receipt__line__product_ref", "amount")
        for pk, product, amount in rows.order_by("position").values_list(*columns):
            lines[pk].append((text_of(product), amount))
    return lines
