"""The days of brands that are read from the rows, each counted once for a page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.counting.days import count_days
from affiliates.contrib.statistics.counting.rows import DaysOfRows
from affiliates.contrib.statistics.counting.tally import Cell
from affiliates.contrib.statistics.models import StatisticsState
from affiliates.contrib.statistics.types import (
    OF_AFFILIATES_ALONE,
    Dimension,
    Figures,
    Span,
)

# If the worker is late by more, days are left out rather than make pages wait.
MAX_LIVE_DAYS = 7


def brands_counted() -> QuerySet[Brand]:
    """Statistics exclude test brands."""
    return Brand.objects.filter(is_test=False).order_by("pk")


class OpenDays:
    """The brands, and their days that are read from the rows, as of now.

    A page that asks several things hands one to all of them, with all dimensions that
    it asks for, and its brands if it has them: then the rows are counted once, those of
    several brands by as many queries as of one.
    """

    def __init__(
        self, *dimensions: Dimension, now: datetime, brands: Sequence[Brand] = ()
    ) -> None:
        self.now = now
        self._dimensions = {Dimension.TOTAL, Dimension.AFFILIATE, *dimensions}
        self._states: dict[int, StatisticsState | None] = {}
        self._brands: dict[int | None, list[Brand]] = {
            brand.pk: [] if brand.is_test else [brand] for brand in brands
        }
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
            known = self._known(brand)
            states = StatisticsState.objects.in_bulk(known)
            self._states |= {pk: states.get(pk) for pk in known}
        return self._states[brand.pk]

    def _known(self, brand: Brand) -> dict[int, Brand]:
        """This brand, and those that were asked for or may be."""
        others = (brand for brands in self._brands.values() for brand in brands)
        return {a_brand.pk: a_brand for a_brand in (brand, *others)}

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
        """Yields cells of the span's open days. Reads all open days at once, if any."""
        days = Span(self.first(brand), self.today(brand))
        if max(days.first, span.first) > min(days.last, span.last):
            return
        dimensions = frozenset(self._dimensions | {dimension})
        key = dimensions, None if ids is None else frozenset(ids)
        if (brand.pk, *key) not in self._cells:
            self._count(brand, *key)
        of_brand = ids is None and dimension not in OF_AFFILIATES_ALONE
        for day, cell, figures in self._cells[brand.pk, *key]:
            is_asked = span.first <= day <= span.last and cell.dimension == dimension
            if is_asked and (cell.affiliate_id is None) == of_brand:
                yield day, cell, figures

    def _count(
        self,
        brand: Brand,
        dimensions: frozenset[Dimension],
        ids: frozenset[int] | None,
    ) -> None:
        every = [
            DaysOfRows(
                brand_id=pk,
                days=Span(self.first(value), self.today(value)),
                zone=value.zone(),
                affiliate_ids=ids,
                dimensions=dimensions,
            )
            for pk, value in self._known(brand).items()
            if (pk, dimensions, ids) not in self._cells
        ]
        for pk, tallies in count_days(every).items():
            self._cells[pk, dimensions, ids] = [
                (day, cell, figures)
                for day, tally in tallies.items()
                for cell, figures in tally.cells().items()
            ]
