"""The data of the statistics: closed days as counted, open days from the rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import CharField, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast

from affiliates.contrib.statistics.counting.tally import Cell
from affiliates.contrib.statistics.models import DailyFigures
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.types import (
    ADDRESS_KEY,
    COUPON_KEY,
    OF_AFFILIATES_ALONE,
    Dimension,
    Figures,
    Span,
    Statistics,
)
from affiliates.db.records import at_once


def as_statistics(found: Iterable[Found]) -> Mapping[Any, Statistics]:
    sums: defaultdict[Any, dict[str, Figures]] = defaultdict(dict)
    for key, currency, figures in found:
        before = sums[key].get(currency)
        sums[key][currency] = before.plus(figures) if before else Figures(*figures)
    return defaultdict(
        lambda: Statistics({}), {key: Statistics(by) for key, by in sums.items()}
    )


class Found(NamedTuple):
    """Figures of a part of what is read; ``key`` says which part."""

    key: Any
    currency: str
    figures: Sequence[int]


class Reading:
    """The data behind the numbers: rows of closed days and cells of open days."""

    def __init__(
        self,
        closed: QuerySet[DailyFigures],
        live: Sequence[tuple[date, Cell, Figures]],
        dimension: Dimension,
    ) -> None:
        self.closed = closed
        self.live = live
        self._dimension = dimension
        self._key = "affiliate_id" if dimension is Dimension.AFFILIATE else "value"

    def of_links(self) -> Reading:
        """Leaves out the parts of links that are none; the same if it is not of links."""
        if self._dimension is not Dimension.LINK:
            return self
        others = Q(value=ADDRESS_KEY) | Q(value__startswith=COUPON_KEY)
        live = [entry for entry in self.live if entry[1].value.isdecimal()]
        return Reading(self.closed.exclude(others), live, Dimension.LINK)

    def by_nothing(self) -> Iterator[Found]:
        yield from self._sums([])
        for _, cell, figures in self.live:
            yield Found(None, cell.currency, figures)

    def by_day(self) -> Iterator[Found]:
        yield from self._sums(["day"])
        for day, cell, figures in self.live:
            yield Found(day, cell.currency, figures)

    def by_part(self, *, only: Collection[Any] | None = None) -> Iterator[Found]:
        wanted = None if only is None else Q(**{f"{self._key}__in": only})
        yield from self._sums([self._key], wanted)
        for live_part in self.live_parts():
            if only is None or live_part.key in only:
                yield live_part

    def by_every_part(
        self, fields: Sequence[str], currencies: Collection[str] | None
    ) -> Mapping[Any, Figures]:
        """Only these fields, of these currencies or of all, of every part there is."""
        of = None if currencies is None else Q(currency__in=currencies)
        sums = {f"sum_{name}": Sum(name, filter=of, default=0) for name in fields}
        by_part = {
            key: dict(zip(fields, values, strict=True))
            for key, *values in self.closed.values_list(self._key).annotate(**sums)
        }
        for key, currency, figures in self.live_parts():
            known = by_part.setdefault(key, dict.fromkeys(fields, 0))
            if currencies is None or currency in currencies:
                for name in fields:
                    known[name] += getattr(figures, name)
        return {key: Figures(**values) for key, values in by_part.items()}

    def best_parts(
        self, value: Callable[[Any], Any], currency: str, limit: int
    ) -> QuerySet[Any, Any]:
        """The closed days of the parts of which this sum is highest on closed days, and
        of those that open days add to. The keys are texts."""
        rows = self.closed
        if currency:
            rows = rows.filter(currency=currency)
        best = (
            rows.values(self._key)
            .annotate(worth=Sum(value(_COLUMNS)))
            .order_by("-worth", self._key)
            .values(self._key)[:limit]
        )
        live = {
            getattr(cell, self._key) for _, cell, figures in self.live if value(figures)
        }
        among_best = Q(**{f"{self._key}__in": best})
        wanted = among_best | Q(**{f"{self._key}__in": live}) if live else among_best
        named = self.closed.filter(wanted)
        return _summed(named.annotate(key_=Cast(self._key, CharField())), ["key_"])

    def key_of(self, text: str) -> Any:
        return int(text) if self._key == "affiliate_id" else text

    def live_parts(self) -> Iterator[Found]:
        for _, cell, figures in self.live:
            yield Found(getattr(cell, self._key), cell.currency, figures)

    def _sums(self, keys: list[str], wanted: Q | None = None) -> Iterator[Found]:
        rows = self.closed if wanted is None else self.closed.filter(wanted)
        for row in _summed(rows, keys):
            yield _found(row[0] if keys else None, row[len(keys) :])


def _summed(rows: QuerySet[Any, Any], keys: Sequence[str]) -> QuerySet[Any, Any]:
    summed: QuerySet[Any, Any] = rows.values_list(*keys, "currency").annotate(
        **{f"sum_{name}": Sum(name) for name in Figures._fields}
    )
    return summed


def _found(key: Any, row: Sequence[Any]) -> Found:
    currency, *figures = row
    return Found(key, currency, Figures(*figures))


class Best(NamedTuple):
    """Asks for the parts of which a sum is highest, in a currency if one is named."""

    reading: Reading
    value: Callable[[Any], Any]
    currency: str
    limit: int


def by_best_parts(asked: Sequence[Best]) -> list[list[Found]]:
    """At least the best parts of each, all by one query."""
    parts = [[*question.reading.live_parts()] for question in asked]
    closed = (
        question.reading.best_parts(*question[1:]).annotate(place_=Value(place))
        for place, question in enumerate(asked)
    )
    for key, *row, place in at_once(closed):
        parts[place].append(_found(asked[place].reading.key_of(key), row))
    return parts


def by_brand(readings: Mapping[int, Reading]) -> Mapping[int, Statistics]:
    """The whole of each brand's reading, all closed days by one query."""
    none = DailyFigures.objects.none()
    closed = reduce(or_, (reading.closed for reading in readings.values()), none)
    sums = [_found(pk, row) for pk, *row in _summed(closed, ["brand_id"])]
    for pk, reading in readings.items():
        sums += (Found(pk, of.currency, figures) for _, of, figures in reading.live)
    return as_statistics(sums)


# A day's figures, for a metric to be made of where the rows are.
_COLUMNS: Any = Figures(*map(F, Figures._fields))  # type: ignore[arg-type] # columns


def read(
    brand_id: int | None,
    span: Span,
    ids: Collection[int] | None,
    dimension: Dimension | None = None,
    *,
    open_days: OpenDays,
) -> Reading:
    """Without a dimension the whole: of the brands, or of the affiliates."""
    if dimension is None:
        dimension = Dimension.TOTAL if ids is None else Dimension.AFFILIATE
    closed = DailyFigures.objects.none()
    live: list[tuple[date, Cell, Figures]] = []
    for brand in open_days.brands(brand_id):
        first = open_days.first(brand)
        last = min(span.last, first - timedelta(days=1))
        rows = DailyFigures.objects.filter(
            brand=brand, dimension=dimension, day__range=(span.first, last)
        )
        closed = closed | _of_affiliates(rows, dimension, ids)
        live += open_days.cells(brand, span, dimension, ids)
    return Reading(closed.order_by(), live, dimension)


def _of_affiliates(
    rows: QuerySet[DailyFigures], dimension: Dimension, ids: Collection[int] | None
) -> QuerySet[DailyFigures]:
    if ids is not None:
        return rows.filter(affiliate_id__in=ids)
    if dimension in OF_AFFILIATES_ALONE:
        return rows
    return rows.filter(affiliate__isnull=True)
