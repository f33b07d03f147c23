"""Compares the counted figures of closed days with the rows. Changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics import feed
from affiliates.contrib.statistics.counting.days import count_days
from affiliates.contrib.statistics.counting.rows import DaysOfRows
from affiliates.contrib.statistics.counting.tally import Cell, Tally
from affiliates.contrib.statistics.models import (
    CountedDay,
    StatisticsChange,
    StatisticsState,
)
from affiliates.contrib.statistics.services import stored_cells
from affiliates.contrib.statistics.types import CLICK_FIELDS, NOTHING, Figures, Span
from affiliates.core.days import span_of
from affiliates.visits.models import Click

# A commit between two queries looks like a difference, but only once.
LOOKS = 3


class Difference(NamedTuple):
    """A day's number that differs from the rows. Clicks of frozen days are left out."""

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
    """Yields the differences of closed days, except days that the worker will count.

    A day is in the time zone in which it was counted: the brand's may have changed
    since. Without a zone, the worker is about to count every day.
    """
    state = StatisticsState.objects.filter(brand=brand).first()
    if state is None or not state.time_zone:
        return
    zone = ZoneInfo(state.time_zone)
    for number, date in enumerate(span.days(), start=1):
        if date < state.open_from:
            day = CountedDay.objects.filter(brand=brand, day=date).first()
            yield from _compare(day or CountedDay(brand=brand, day=date), zone)
        on_day(number)


def _compare(day: CountedDay, zone: ZoneInfo) -> Iterator[Difference]:
    differences: list[Difference] = []
    for _ in range(LOOKS):
        differences = list(_differences(day, zone))
        if not differences or _is_due(day, zone):
            return
    yield from differences


def _differences(day: CountedDay, zone: ZoneInfo) -> Iterator[Difference]:
    kept = {cell: figures for cell, (_, figures) in stored_cells(day).items()}
    counted = _counted(day, zone)
    for cell in sorted(kept.keys() | counted.keys(), key=str):
        pair = kept.get(cell, NOTHING), counted.get(cell, NOTHING)
        for name, one, other in zip(Figures._fields, *pair, strict=True):
            if one != other:
                yield Difference(day, cell, name, one, other)


def _counted(day: CountedDay, zone: ZoneInfo) -> Mapping[Cell, Figures]:
    """From the rows, without the queries that group the clicks."""
    days = DaysOfRows(brand_id=day.brand_id, days=Span(day.day, day.day), zone=zone)
    tally = count_days([days], with_clicks=False)[day.brand_id][day.day]
    if day.is_frozen:
        tally.keep_clicks({cell: kept for cell, (_, kept) in stored_cells(day).items()})
    else:
        _add_clicks(days, tally)
    return tally.cells()


def _add_clicks(days: DaysOfRows, tally: Tally) -> None:
    clicks = days.rows(Click, "created_at").order_by("created_at", "pk")
    columns = ("visitor_id", "bot_signs", "affiliate_id", *days.columns)
    seen: set[tuple[UUID, int]] = set()
    counts: Counter[tuple[Any, ...]] = Counter()
    for visitor_id, bot_signs, *whose in clicks.values_list(*columns).iterator():
        visit = visitor_id, whose[0]
        is_first = bool(visitor_id) and not bot_signs and visit not in seen
        if is_first:
            seen.add(visit)
        counts[not bot_signs, is_first, *whose] += 1
    for (is_human, is_first, affiliate_id, *values), number in counts.items():
        figures = (number, number * is_human, number * is_first)
        named = dict(zip(CLICK_FIELDS, figures, strict=True))
        tally.add(affiliate_id, named, days.parts(values))


def _is_due(day: CountedDay, zone: ZoneInfo) -> bool:
    start, end = span_of(day.day, day.day, zone)
    brand_id = day.brand_id
    state = StatisticsState.objects.get(brand=brand_id)
    if state.time_zone != zone.key:
        return True
    known = CountedDay.objects.filter(brand=brand_id, day=day.day, is_due=True)
    noted = StatisticsChange.objects.filter(brand_id=brand_id, at__range=(start, end))
    return known.exists() or noted.exists() or _has_late_click(state, start, end)


def _has_late_click(state: StatisticsState, start: datetime, end: datetime) -> bool:
    return any(at >= start for at in feed.late_clicks(state, end))
