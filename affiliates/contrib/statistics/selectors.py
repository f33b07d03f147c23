"""The statistics that pages, files and the API show: closed days as they were counted,
open days from the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from django.db.models import Min

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.metrics import Metric
from affiliates.contrib.statistics.models import CountedDay, StatisticsState
from affiliates.contrib.statistics.naming import name_parts, rest_name
from affiliates.contrib.statistics.open_days import OpenDays, brands_counted
from affiliates.contrib.statistics.reading import (
    Best,
    Reading,
    as_statistics,
    by_best_parts,
    by_brand,
    read,
)
from affiliates.contrib.statistics.types import (
    NO_CURRENCY,
    CutOff,
    Dimension,
    Point,
    Row,
    Span,
    Statistics,
    Step,
    sum_of,
    total_of,
)
from affiliates.operations.monitoring.registry import Gauge, Sample, register

AGE = Gauge(
    "affiliates_statistics_age_seconds",
    "How long ago the statistics of the brand that waits longest were counted.",
)
_NEVER = datetime.min.replace(tzinfo=UTC)


def today(brand_id: int | None, now: datetime) -> date:
    """The brand's day; of all brands, the latest."""
    return _today(brand_id, OpenDays(now=now))


def totals(
    brand_id: int | None,
    span: Span,
    *,
    now: datetime,
    affiliate_id: int | None = None,
    open_days: OpenDays | None = None,
) -> Statistics:
    reading = _read(brand_id, span, affiliate_id, now=now, open_days=open_days)
    return as_statistics(reading.by_nothing())[None]


def totals_of_brands(
    spans: Mapping[Brand, Span], *, now: datetime
) -> Mapping[int, Statistics]:
    """Returns the totals of each brand's own span, in as many queries as for one."""
    open_days = OpenDays(now=now, brands=list(spans))
    return by_brand(
        {
            brand.pk: read(brand.pk, span, None, open_days=open_days)
            for brand, span in spans.items()
        }
    )


def series(
    brand_id: int | None,
    span: Span,
    step: Step,
    *,
    now: datetime,
    affiliate_id: int | None = None,
    open_days: OpenDays | None = None,
) -> list[Point]:
    """Every step of the span, including empty ones."""
    [points] = series_of(
        brand_id,
        [span],
        step,
        affiliate_id=affiliate_id,
        open_days=open_days or OpenDays(now=now),
    )
    return points


def series_of(
    brand_id: int | None,
    spans: Sequence[Span],
    step: Step,
    *,
    open_days: OpenDays,
    affiliate_id: int | None = None,
) -> list[list[Point]]:
    """Several spans, which are read at once."""
    whole = Span(min(span.first for span in spans), max(span.last for span in spans))
    reading = _read(
        brand_id, whole, affiliate_id, now=open_days.now, open_days=open_days
    )
    by_day = as_statistics(reading.by_day())
    end = _today(brand_id, open_days)
    return [
        [
            Point(
                *part,
                total_of(by_day[day] for day in part.days() if day in by_day),
                part.last >= end,
            )
            for part in step.parts_of(span)
        ]
        for span in spans
    ]


class TopAsked(NamedTuple):
    """Request to rank a dimension's parts by a count, or by an amount in a currency."""

    dimension: Dimension
    metric: Metric
    currency: str = NO_CURRENCY


def tops(
    brand_id: int | None,
    span: Span,
    asked: Sequence[TopAsked],
    *,
    open_days: OpenDays,
    affiliate_id: int | None = None,
    limit: int = 10,
) -> list[list[Row]]:
    """For each, the parts with the highest value, if it is above zero."""
    best = [
        Best(
            _read(
                brand_id,
                span,
                affiliate_id,
                question.dimension,
                now=open_days.now,
                open_days=open_days,
            ).of_links(),
            question.metric.of,
            question.currency,
            limit,
        )
        for question in asked
    ]
    return [
        _best(question, as_statistics(by_part), limit)
        for question, by_part in zip(asked, by_best_parts(best), strict=True)
    ]


def _best(asked: TopAsked, by_part: Mapping[Any, Statistics], limit: int) -> list[Row]:
    _, metric, currency = asked

    def value(key: Any) -> Any:
        row = by_part[key]
        figures = row.in_currency(currency) if currency else row.counts
        return metric.of(figures) or 0

    keys = [key for key in by_part if value(key) > 0]
    best = sorted(keys, key=lambda key: (-value(key), str(key)))[:limit]
    return _rows({key: by_part[key] for key in best}, asked.dimension)


def breakdown(
    brand_id: int | None,
    span: Span,
    dimension: Dimension,
    *,
    now: datetime,
    affiliate_id: int | None = None,
    limit: int = 50,
    open_days: OpenDays | None = None,
    whole: Statistics | None = None,
) -> list[Row]:
    """The parts of ``totals``, the busiest first, and last what is in none of them.

    Products have sales and what follows them: the rest has the clicks. A sale of
    several products counts once for each.
    """
    open_days = open_days or OpenDays(dimension, now=now)
    if whole is None:
        whole = totals(
            brand_id, span, now=now, affiliate_id=affiliate_id, open_days=open_days
        )
    reading = _read(
        brand_id, span, affiliate_id, dimension, now=now, open_days=open_days
    )
    by_part = as_statistics(reading.by_part())
    best = sorted(by_part, key=lambda key: (*_busy(by_part[key]), str(key)))[:limit]
    rows = _rows({key: by_part[key] for key in best}, dimension)
    rest = whole - sum_of(rows)
    if dimension is Dimension.PRODUCT:
        rest = rest.at_least_nothing()
    name = rest_name(dimension, has_others=len(by_part) > limit)
    return [*rows, Row(None, name, rest)] if rest else rows


def by_affiliate(
    affiliate_ids: Collection[int], *, now: datetime, span: Span | None = None
) -> dict[int, Statistics]:
    """Returns the statistics of each affiliate; of all time if there is no span."""
    ids = list(affiliate_ids)
    by_affiliate: dict[int, Statistics] = {}
    open_days = OpenDays(now=now)
    brands = Brand.objects.filter(affiliates__in=ids).values_list("pk", flat=True)
    for brand_id in brands.distinct().order_by():
        until = span or Span(date.min, today(brand_id, now))
        reading = read(brand_id, until, ids, open_days=open_days)
        by_affiliate |= as_statistics(reading.by_part())
    return {pk: by_affiliate.get(pk, Statistics({})) for pk in ids}


def by_part(
    keys: Collection[str],
    dimension: Dimension,
    *,
    brand_id: int,
    affiliate_id: int,
    open_days: OpenDays,
) -> Mapping[str, Statistics]:
    """Returns all-time figures of the affiliate's parts with these keys."""
    ever = Span(date.min, date.max)
    reading = read(brand_id, ever, [affiliate_id], dimension, open_days=open_days)
    return as_statistics(reading.by_part(only=keys))


def cut_off(
    brand_id: int | None, now: datetime, open_days: OpenDays | None = None
) -> CutOff | None:
    """Returns the brand's cut-off; of all brands, the oldest. None without a brand."""
    open_days = open_days or OpenDays(now=now)
    return min(
        (_cut_off(brand, open_days) for brand in open_days.brands(brand_id)),
        key=lambda row: row.counted_at or _NEVER,
        default=None,
    )


@register(AGE)
def age(now: datetime) -> Iterator[Sample]:
    states = StatisticsState.objects.filter(brand__in=brands_counted())
    oldest = states.aggregate(oldest=Min("counted_at"))["oldest"]
    if oldest is not None:
        yield Sample(AGE.name, (now - oldest).total_seconds())


def _today(brand_id: int | None, days: OpenDays) -> date:
    return max(map(days.today, days.brands(brand_id)), default=days.now.date())


def _rows(by_part: Mapping[Any, Statistics], dimension: Dimension) -> list[Row]:
    names = name_parts(by_part, dimension)
    is_link = dimension is Dimension.LINK
    return [
        Row(int(key) if is_link and key.isdecimal() else key, names[key], part)
        for key, part in by_part.items()
    ]


def _busy(statistics: Statistics) -> tuple[int, int, int]:
    counts = statistics.counts
    return -counts.human_clicks, -counts.orders, -counts.sales


def _cut_off(brand: Brand, open_days: OpenDays) -> CutOff:
    state = open_days.state(brand)
    return CutOff(
        zone=brand.zone(),
        live_from=open_days.first(brand),
        counted_at=None if state is None else state.counted_at,
        days_due=CountedDay.objects.filter(brand=brand, is_due=True).count(),
    )


def _read(
    brand_id: int | None,
    span: Span,
    affiliate_id: int | None,
    dimension: Dimension | None = None,
    *,
    now: datetime,
    open_days: OpenDays | None,
) -> Reading:
    ids = None if affiliate_id is None else [affiliate_id]
    wanted = [] if dimension is None else [dimension]
    days = open_days or OpenDays(*wanted, now=now)
    return read(brand_id, span, ids, dimension, open_days=days)
