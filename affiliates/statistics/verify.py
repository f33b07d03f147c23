"""Compares what was counted of closed days with the rows. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from affiliates.brands.models.brand import Brand
from affiliates.core.days import span_of
from affiliates.statistics import feed
from affiliates.statistics.models import CountedDay, StatisticsChange, StatisticsState
from affiliates.statistics.services import cells_of, stored_cells
from affiliates.statistics.tally import Cell
from affiliates.statistics.types import NOTHING, Figures, Span

# What is committed between two of the queries looks like a difference, but not again.
LOOKS = 3


class Difference(NamedTuple):
    """A number of a day that is not as the rows say. Of frozen days no click is compared."""

    day: CountedDay
    cell: Cell
    figure: str
    kept: int
    counted: int

    def __str__(self) -> str:
        of = f" of affiliate {self.cell.affiliate_id}" if self.cell.affiliate_id else ""
        what = " ".join(filter(None, (self.cell.currency, self.figure)))
        return (
            f"{self.day.day}: {self.cell.dimension} {self.cell.value!r}{of} has "
            f"{self.kept} {what}, the rows have {self.counted}."
        )


def differences(
    brand: Brand, span: Span, *, on_day: Callable[[int], None]
) -> Iterator[Difference]:
    """Those of closed days, but for days that the worker is about to count."""
    state = StatisticsState.objects.filter(brand=brand).first()
    if state is None:
        return
    for number, date in enumerate(span.days(), start=1):
        if date < state.open_from:
            day = CountedDay.objects.filter(brand=brand, day=date).first()
            yield from _compare(brand, day or CountedDay(brand=brand, day=date))
        on_day(number)


def _compare(brand: Brand, day: CountedDay) -> Iterator[Difference]:
    found: list[Difference] = []
    for _ in range(LOOKS):
        found = list(_differences(brand, day))
        if not found or _is_due(brand, day):
            return
    yield from found


def _differences(brand: Brand, day: CountedDay) -> Iterator[Difference]:
    kept = {cell: figures for cell, (_, figures) in stored_cells(day).items()}
    counted = cells_of(day, brand.zone(), with_clicks=True)
    for cell in sorted(kept.keys() | counted.keys(), key=str):
        pair = kept.get(cell, NOTHING), counted.get(cell, NOTHING)
        for name, one, other in zip(Figures._fields, *pair, strict=True):
            if one != other:
                yield Difference(day, cell, name, one, other)


def _is_due(brand: Brand, day: CountedDay) -> bool:
    start, end = span_of(day.day, day.day, brand.zone())
    known = CountedDay.objects.filter(brand=brand, day=day.day, is_due=True)
    noted = StatisticsChange.objects.filter(brand_id=brand.pk, at__range=(start, end))
    return known.exists() or noted.exists() or _has_late_click(brand, start, end)


def _has_late_click(brand: Brand, start: datetime, end: datetime) -> bool:
    state = StatisticsState.objects.get(brand=brand)
    return any(at >= start for at in feed.late_clicks(state, end))
