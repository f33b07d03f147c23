"""The data of the statistics: closed days as counted, open days from the rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet, Sum

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.counting import count_days
from affiliates.contrib.statistics.day_rows import DaysOfRows
from affiliates.contrib.statistics.models import DailyFigures, StatisticsState
from affiliates.contrib.statistics.tally import Cell
from affiliates.contrib.statistics.types import Dimension, Figures, Span, Statistics

# If the worker is late by more, days are left out rather than make pages wait.
MAX_LIVE_DAYS = 7


def brands_counted() -> QuerySet[Brand]:
    """Statistics exclude test brands."""
    return Brand.objects.filter(is_test=False).order_by("pk")


class OpenDays:
    """The brands, and their days that are read from the rows, as of now.

    A page that asks several things hands one to all of them, with all dimensions that
    it asks for, and the brand if it has it: then the rows are counted once.
    """

    def __init__(
        self, *dimensions: Dimension, now: datetime, brand: Brand | None = None
    ) -> None:
        self.now = now
        self._dimensions = {Dimension.TOTAL, Dimension.AFFILIATE, *dimensions}
        self._states: dict[int, StatisticsState | None] = {}
        self._brands: dict[int | None, list[Brand]] = {}
        if brand is not None:
            self._brands[brand.pk] = [] if brand.is_test else [brand]
        self._cells: dict[Any, list[tuple[date, Cell, Figures]]] = {}

    def brands(self, brand_id: int | None) -> list[Brand]:
        if brand_id not in self._brands:
            brands = brands_counted()
            if brand_id is not None:
                brands = brands.filter(pk=brand_id)
            self._brands[brand_id] = list(brands)
        return self._brands[brand_id]

    def state(self, brand: Brand) -> StatisticsState | None:
        if brand.pk not in self._states:
            state = StatisticsState.objects.filter(pk=brand.pk).first()
            self._states[brand.pk] = state
        return self._states[brand.pk]

    def today(self, brand: Brand) -> date:
        return self.now.astimezone(brand.zone()).date()

    def first(self, brand: Brand) -> date:
        state = self.state(brand)
        earliest = self.today(brand) - timedelta(days=MAX_LIVE_DAYS - 1)
        return earliest if state is None else max(state.open_from, earliest)

    def cells(
        self,
        brand: Brand,
        span: Span,
        dimension: Dimension,
        ids: Collection[int] | None,
    ) -> Iterator[tuple[date, Cell, Figures]]:
        """Of the days that are open. All are read at once, if the span has any."""
        days = Span(self.first(brand), self.today(brand))
        if max(days.first, span.first) > min(days.last, span.last):
            return
        dimensions = frozenset(self._dimensions | {dimension})
        key = brand.pk, dimensions, None if ids is None else frozenset(ids)
        if key not in self._cells:
            rows = DaysOfRows(
                brand_id=brand.pk,
                days=days,
                zone=brand.zone(),
                affiliate_ids=ids,
                dimensions=dimensions,
            )
            self._cells[key] = [
                (day, cell, figures)
                for day, tally in count_days(rows).items()
                for cell, figures in tally.cells().items()
            ]
        of_brand = ids is None and dimension not in _OF_AFFILIATES_ALONE
        for day, cell, figures in self._cells[key]:
            is_asked = span.first <= day <= span.last and cell.dimension == dimension
            if is_asked and (cell.affiliate_id is None) == of_brand:
                yield day, cell, figures


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
    """What the numbers are made of: the rows of closed days, the cells of open ones."""

    def __init__(
        self,
        closed: QuerySet[DailyFigures],
        live: Sequence[tuple[date, Cell, Figures]],
        dimension: Dimension,
    ) -> None:
        self._closed = closed
        self._live = live
        self._key = "affiliate_id" if dimension is Dimension.AFFILIATE else "value"

    def by_nothing(self) -> Iterator[Found]:
        yield from self._sums([])
        for _, cell, figures in self._live:
            yield Found(None, cell.currency, figures)

    def by_day(self) -> Iterator[Found]:
        yield from self._sums(["day"])
        for day, cell, figures in self._live:
            yield Found(day, cell.currency, figures)

    def by_part(self, *, only: Collection[Any] | None = None) -> Iterator[Found]:
        wanted = None if only is None else Q(**{f"{self._key}__in": only})
        yield from self._sums([self._key], wanted)
        for found in self._live_parts():
            if only is None or found.key in only:
                yield found

    def by_every_part(
        self, fields: Sequence[str], currencies: Collection[str] | None
    ) -> Mapping[Any, Figures]:
        """Only these fields, of these currencies or of all, of every part there is."""
        of = None if currencies is None else Q(currency__in=currencies)
        sums = {f"sum_{name}": Sum(name, filter=of, default=0) for name in fields}
        found = {
            key: dict(zip(fields, values, strict=True))
            for key, *values in self._closed.values_list(self._key).annotate(**sums)
        }
        for key, currency, figures in self._live_parts():
            known = found.setdefault(key, dict.fromkeys(fields, 0))
            if currencies is None or currency in currencies:
                for name in fields:
                    known[name] += getattr(figures, name)
        return {key: Figures(**values) for key, values in found.items()}

    def by_best_parts(
        self, value: Callable[[Any], Any], currency: str, limit: int
    ) -> Iterator[Found]:
        """At least the parts of which this sum is highest, in a currency if one is named.

        They are those of which it is highest on closed days, and those that open days
        add to.
        """
        rows = self._closed
        if currency:
            rows = rows.filter(currency=currency)
        best = (
            rows.values(self._key)
            .annotate(worth=Sum(value(_COLUMNS)))
            .order_by("-worth", self._key)
            .values(self._key)[:limit]
        )
        live = {
            getattr(cell, self._key)
            for _, cell, figures in self._live
            if value(figures)
        }
        among_best = Q(**{f"{self._key}__in": best})
        wanted = among_best | Q(**{f"{self._key}__in": live}) if live else among_best
        yield from self._sums([self._key], wanted)
        yield from self._live_parts()

    def _live_parts(self) -> Iterator[Found]:
        for _, cell, figures in self._live:
            yield Found(getattr(cell, self._key), cell.currency, figures)

    def _sums(self, keys: list[str], wanted: Q | None = None) -> Iterator[Found]:
        rows = self._closed if wanted is None else self._closed.filter(wanted)
        summed = rows.values_list(*keys, "currency").annotate(
            **{f"sum_{name}": Sum(name) for name in Figures._fields}
        )
        for row in summed:
            figures = Figures(*row[len(keys) + 1 :])
            yield Found(row[0] if keys else None, row[len(keys)], figures)


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
    if dimension in _OF_AFFILIATES_ALONE:
        return rows
    return rows.filter(affiliate__isnull=True)


_OF_AFFILIATES_ALONE = (Dimension.AFFILIATE, Dimension.LINK)
