"""Counts a brand's day from its rows: clicks, signups, orders, sales, commissions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from moneyed import Money

from affiliates.commissions.models import (
    Commission,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus
from affiliates.core.money import rounded, to_minor
from affiliates.core.urls import parse_http_url
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import Sale, SaleReversal
from affiliates.statistics.models import MAX_VALUE
from affiliates.statistics.tally import Parts, Tally, allocate
from affiliates.statistics.types import Dimension
from affiliates.visits.models import Click

_COLUMNS: Mapping[Dimension, str] = {
    Dimension.LINK: "link_id",
    Dimension.SUB_ID: "sub_id",
    Dimension.REFERRER: "referrer_url",
    Dimension.COUNTRY: "country",
}
EVERY_DIMENSION = frozenset(Dimension)
AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOfRows:
    """A brand's day as moments, the end not included, and what is wanted of it."""

    brand_id: int
    start: datetime
    end: datetime
    affiliate_ids: Collection[int] | None = None
    dimensions: Collection[Dimension] = field(default=EVERY_DIMENSION)

    def rows(
        self, model: type[Any], moment: str, *, affiliate: str = "affiliate"
    ) -> QuerySet[Any]:
        """Those of the brand's own affiliates that happened on the day."""
        found: QuerySet[Any] = model.objects.order_by().filter(
            brand_id=self.brand_id,
            **{f"{moment}__gte": self.start, f"{moment}__lt": self.end},
        )
        if self.affiliate_ids is None:
            return found.filter(**{f"{affiliate}__isnull": False})
        return found.filter(**{f"{affiliate}__in": self.affiliate_ids})

    def parts(self, values: Iterable[Any]) -> Parts:
        """The parts of a click, by its columns in the order of ``columns``."""
        return {
            dimension: _READ.get(dimension, _text)(value)
            for dimension, value in zip(self.by_click, values, strict=True)
        }

    @property
    def by_click(self) -> list[Dimension]:
        return [one for one in _COLUMNS if one in self.dimensions]

    @property
    def columns(self) -> list[str]:
        return [_COLUMNS[dimension] for dimension in self.by_click]


def count_day(day: DayOfRows, *, with_clicks: bool = True) -> Tally:
    tally = Tally()
    if with_clicks:
        _count_clicks(day, tally)
    _count_signups_and_orders(day, tally)
    _count_sales(day, tally)
    _count_commissions(day, tally)
    return tally


def _count_clicks(day: DayOfRows, tally: Tally) -> None:
    by_people = Q(bot_signs="")
    earlier = Click.objects.filter(
        by_people,
        Q(created_at__lt=OuterRef("created_at"))
        | Q(created_at=OuterRef("created_at"), pk__lt=OuterRef("pk")),
        visitor_id=OuterRef("visitor_id"),
        affiliate_id=OuterRef("affiliate_id"),
        created_at__gte=day.start,
    )
    groups = (
        day.rows(Click, "created_at")
        .values_list("affiliate_id", *day.columns)
        .annotate(
            clicks_=Count("pk"),
            human_=Count("pk", filter=by_people),
            unique_=Count("pk", filter=by_people & Q(~Exists(earlier))),
        )
    )
    for affiliate_id, *values, clicks, human, unique in groups.iterator():
        tally.add(
            affiliate_id,
            day.parts(values),
            clicks=clicks,
            human_clicks=human,
            unique_clicks=unique,
        )


def _count_signups_and_orders(day: DayOfRows, tally: Tally) -> None:
    signups = day.rows(ClientReferral, "bound_at").values_list(
        "affiliate_id", "click_id"
    )
    orders = day.rows(OrderReferral, "converted_at").values_list(
        "affiliate_id", "click_id"
    )
    of_signups, of_orders = list(signups), list(orders)
    origin = _origins(day, of_signups + of_orders)
    for affiliate_id, click_id in of_signups:
        tally.add(affiliate_id, origin(affiliate_id, click_id), signups=1)
    for affiliate_id, click_id in of_orders:
        tally.add(affiliate_id, origin(affiliate_id, click_id), orders=1)


def _count_sales(day: DayOfRows, tally: Tally) -> None:
    has_products = Dimension.PRODUCT in day.dimensions
    sales = day.rows(Sale, "paid_at", affiliate="order_referral__affiliate")
    rows = list(
        sales.values_list(
            "pk",
            "order_referral__affiliate_id",
            "order_referral__click_id",
            "net",
            "net_currency",
            *(["payment__lines"] if has_products else []),
        )
    )
    reversals: defaultdict[int, list[Money]] = defaultdict(list)
    for sale_id, net, currency in SaleReversal.objects.filter(
        sale__in=sales
    ).values_list("sale_id", "net", "net_currency"):
        reversals[sale_id].append(Money(net, currency))
    origin = _origins(day, [(row[1], row[2]) for row in rows])
    for pk, affiliate_id, click_id, net, currency, *lines in rows:
        revenue = to_minor(Money(net, currency))
        reversed_revenue = -sum(map(to_minor, reversals[pk]))
        tally.add(
            affiliate_id,
            origin(affiliate_id, click_id),
            currency=currency,
            sales=1,
            reversals=len(reversals[pk]),
            revenue=revenue,
            reversed_revenue=reversed_revenue,
        )
        for stored in lines:
            _add_products(
                tally, affiliate_id, stored, currency, reversed_revenue, reversals[pk]
            )


def _add_products(
    tally: Tally,
    affiliate_id: int,
    lines: list[dict[str, Any]],
    currency: str,
    reversed_revenue: int,
    reversals: list[Money],
) -> None:
    """A sale counts for each of its products; its amounts are shared between them."""
    nets = [to_minor(rounded(Money(line["net"], currency))) for line in lines]
    products: dict[str, tuple[int, int]] = {}
    for line, net, taken in zip(
        lines, nets, allocate(reversed_revenue, nets), strict=True
    ):
        before = products.get(line["product_ref"], (0, 0))
        products[line["product_ref"]] = (before[0] + net, before[1] + taken)
    for product, (net, taken) in products.items():
        tally.add_part(
            affiliate_id,
            Dimension.PRODUCT,
            _text(product),
            currency=currency,
            sales=1,
            reversals=len(reversals),
            revenue=net,
            reversed_revenue=taken,
        )


def _count_commissions(day: DayOfRows, tally: Tally) -> None:
    commissions = day.rows(Commission, "earned_at")
    rows = list(
        commissions.values_list(
            "pk",
            "affiliate_id",
            "sale__order_referral__click_id",
            "currency",
            "status",
            "amount",
        )
    )
    taken: dict[int, int] = dict(
        CommissionReversal.objects.order_by()
        .filter(commission__in=commissions)
        .values_list("commission_id")
        .annotate(Sum("amount"))
    )
    lines = _lines_of(commissions) if Dimension.PRODUCT in day.dimensions else {}
    origin = _origins(day, [(row[1], row[2]) for row in rows])
    for pk, affiliate_id, click_id, currency, status, amount in rows:
        figures = _figures_of(CommissionStatus(status), amount, -taken.get(pk, 0))
        parts = origin(affiliate_id, click_id)
        tally.add(affiliate_id, parts, currency=currency, **figures)
        products = lines.get(pk, [])
        weights = [weight for _, weight in products]
        for name, whole in figures.items():
            for (product, _), part in zip(
                products, allocate(whole, weights), strict=True
            ):
                tally.add_part(
                    affiliate_id,
                    Dimension.PRODUCT,
                    product,
                    currency=currency,
                    **{name: part},
                )


def _figures_of(status: CommissionStatus, amount: int, taken: int) -> dict[str, int]:
    """A rejected one was rejected as a whole; of the others refunds may have taken."""
    if status is CommissionStatus.REJECTED:
        return {"rejected": amount}
    if status is CommissionStatus.REVERSED:
        return {"taken_back": taken}
    return {status.value: amount - taken, "taken_back": taken}


def _lines_of(commissions: QuerySet[Any]) -> Mapping[int, list[tuple[str, int]]]:
    """The product and amount of each line of each commission."""
    lines: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for commission_id, product, amount in (
        CommissionLine.objects.filter(commission__in=commissions)
        .order_by("commission_id", "position")
        .values_list("commission_id", "receipt__line__product_ref", "amount")
    ):
        lines[commission_id].append((_text(product), amount))
    return lines


def _origins(
    day: DayOfRows, named: list[tuple[int, UUID | None]]
) -> Callable[[int, UUID | None], Parts]:
    """The parts of the click that an order or client came by, if it is the affiliate's."""
    ids = list({click_id for _, click_id in named if click_id is not None})
    found: dict[UUID, tuple[int, Parts]] = {}
    if day.by_click:
        for start in range(0, len(ids), AT_ONCE):
            for pk, affiliate_id, *values in Click.objects.filter(
                pk__in=ids[start : start + AT_ONCE]
            ).values_list("pk", "affiliate_id", *day.columns):
                found[pk] = affiliate_id, day.parts(values)

    def origin(affiliate_id: int, click_id: UUID | None) -> Parts:
        owner, parts = (None, {}) if click_id is None else found.get(click_id, _NONE)
        return parts if owner == affiliate_id else {}

    return origin


def _referrer(url: str) -> str:
    parsed = parse_http_url(url) if url else None
    return "" if parsed is None else _text(parsed.hostname)


def _text(value: Any) -> str:
    return "" if value is None else str(value)[:MAX_VALUE]


_NONE: tuple[int | None, Parts] = (None, {})
_READ: Mapping[Dimension, Callable[[Any], str]] = {Dimension.REFERRER: _referrer}
