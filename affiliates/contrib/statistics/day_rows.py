"""The rows of a brand's days, and the clicks that led to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet, Sum
from moneyed import Money

from affiliates.commissions.models import Commission, CommissionLine
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.statistics.models import MAX_VALUE
from affiliates.contrib.statistics.tally import Parts
from affiliates.contrib.statistics.types import Dimension, Span
from affiliates.core.days import span_of
from affiliates.core.urls import parse_http_url
from affiliates.sales.models import Sale
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
class DaysOfRows:
    """Days of a brand, by its time zone, and what is wanted of them."""

    brand_id: int
    days: Span
    zone: ZoneInfo
    affiliate_ids: Collection[int] | None = None
    dimensions: Collection[Dimension] = field(default=EVERY_DIMENSION)

    def rows(
        self,
        model: type[Any],
        moment: str,
        *,
        affiliate: str = "affiliate",
        brand: str = "brand",
    ) -> QuerySet[Any]:
        """Rows of the brand's own affiliates on these days."""
        start, end = self.moments
        found: QuerySet[Any] = model.objects.order_by().filter(
            **{brand: self.brand_id, f"{moment}__gte": start, f"{moment}__lt": end},
        )
        if self.affiliate_ids is None:
            return found.filter(**{f"{affiliate}__isnull": False})
        return found.filter(**{f"{affiliate}__in": self.affiliate_ids})

    def each(self) -> Iterator[Self]:
        """A single day."""
        for day in self.days.days():
            yield replace(self, days=Span(day, day))

    @property
    def moments(self) -> tuple[datetime, datetime]:
        return span_of(*self.days, self.zone)

    def parts(self, values: Iterable[Any]) -> Parts:
        """The parts of a click, by its columns in the order of ``columns``."""
        return {
            dimension: _READ.get(dimension, text_of)(value)
            for dimension, value in zip(self.by_click, values, strict=True)
        }

    @property
    def by_click(self) -> list[Dimension]:
        return [one for one in _COLUMNS if one in self.dimensions]

    @property
    def columns(self) -> list[str]:
        return [_COLUMNS[dimension] for dimension in self.by_click]


@dataclass(frozen=True, slots=True)
class Row:
    """The time, the affiliate, and the click that led to it."""

    at: datetime
    affiliate_id: int
    click_id: UUID | None


@dataclass(frozen=True, slots=True)
class SaleRow(Row):
    net: Money
    lines: list[dict[str, Any]]
    reversals: list[Money]


@dataclass(frozen=True, slots=True)
class CommissionRow(Row):
    """What it comes to without cancellations, or by one of them: ``figures``."""

    pk: int
    currency: str
    figures: dict[str, int]


Origin = Callable[[Row], Parts]


def came_by(days: DaysOfRows, model: type[Any], moment: str) -> list[Row]:
    rows = days.rows(model, moment).values_list(moment, "affiliate_id", "click_id")
    return [Row(*row) for row in rows]


def sales_of(days: DaysOfRows) -> dict[int, SaleRow]:
    rows = days.rows(Sale, "paid_at", affiliate="order_referral__affiliate")
    lines = ["payment__lines"] if Dimension.PRODUCT in days.dimensions else []
    found: dict[int, SaleRow] = {}
    # One row for each of its refunds, and of their cancellations, which are of other
    # days.
    for (
        pk,
        paid_at,
        affiliate_id,
        click_id,
        net,
        currency,
        taken,
        cancellation_id,
        *its_lines,
    ) in rows.values_list(
        "pk",
        "paid_at",
        "order_referral__affiliate_id",
        "order_referral__click_id",
        "net",
        "net_currency",
        "reversals__net",
        "reversals__cancellation_id",
        *lines,
    ):
        if pk not in found:
            found[pk] = SaleRow(
                paid_at,
                affiliate_id,
                click_id,
                Money(net, currency),
                its_lines[0] if its_lines else [],
                [],
            )
        if taken is not None and cancellation_id is None:
            found[pk].reversals.append(Money(taken, currency))
    return found


def commissions_of(days: DaysOfRows) -> list[CommissionRow]:
    by_refunds = Sum(
        "reversals__amount",
        filter=Q(reversals__sale_reversal__cancellation=None),
        default=0,
    )
    commissions = days.rows(Commission, "earned_at").annotate(taken_back=by_refunds)
    rows = commissions.values_list(
        "earned_at",
        "affiliate_id",
        "sale__order_referral__click_id",
        "pk",
        "currency",
        "status",
        "amount",
        "taken_back",
    )
    return [
        CommissionRow(
            at,
            affiliate_id,
            click_id,
            pk,
            currency,
            figures_of(CommissionStatus(status), amount, -taken),
        )
        for at, affiliate_id, click_id, pk, currency, status, amount, taken in rows
    ]


def figures_of(status: CommissionStatus, amount: int, taken: int) -> dict[str, int]:
    """A rejected one was rejected as a whole; of the others refunds may have taken."""
    if status is CommissionStatus.REJECTED:
        return {"rejected": amount}
    if status is CommissionStatus.REVERSED:
        return {"taken_back": taken}
    return {status.value: amount - taken, "taken_back": taken}


def lines_of(commissions: QuerySet[Any]) -> Mapping[int, list[tuple[str, int]]]:
    """The product and amount of each line of each commission."""
    lines: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for commission_id, product, amount in (
        CommissionLine.objects.filter(commission__in=commissions)
        .order_by("commission_id", "position")
        .values_list("commission_id", "receipt__line__product_ref", "amount")
    ):
        lines[commission_id].append((text_of(product), amount))
    return lines


def origins(days: DaysOfRows, click_ids: Collection[UUID | None]) -> Origin:
    """The parts of the click that a row came by, if it is the affiliate's."""
    ids = [one for one in click_ids if one is not None]
    found: dict[UUID, tuple[int, Parts]] = {}
    if days.by_click:
        for start in range(0, len(ids), AT_ONCE):
            for pk, affiliate_id, *values in Click.objects.filter(
                pk__in=ids[start : start + AT_ONCE]
            ).values_list("pk", "affiliate_id", *days.columns):
                found[pk] = affiliate_id, days.parts(values)

    def origin(row: Row) -> Parts:
        known = found.get(row.click_id) if row.click_id is not None else None
        return known[1] if known and known[0] == row.affiliate_id else {}

    return origin


def _referrer(url: str) -> str:
    parsed = parse_http_url(url) if url else None
    return "" if parsed is None else text_of(parsed.hostname)


def text_of(value: Any) -> str:
    return "" if value is None else str(value)[:MAX_VALUE]


_READ: Mapping[Dimension, Callable[[Any], str]] = {Dimension.REFERRER: _referrer}
