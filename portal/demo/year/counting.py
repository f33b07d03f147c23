"""Counts the days of the year, weeks at once.

One by one, as the worker does, they would be two fifths of the seeding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime

from django.db import transaction

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.counting.days import count_days
from affiliates.contrib.statistics.counting.rows import DaysOfRows
from affiliates.contrib.statistics.models import (
    CountedDay,
    DailyFigures,
    StatisticsChange,
)
from affiliates.contrib.statistics.services import mark_changes
from affiliates.contrib.statistics.types import Figures, Span
from portal.demo.seeding.rows import Table
from portal.demo.seeding.writing import line_of, write_rows

DAYS_AT_ONCE = 28
FIGURES = DailyFigures._meta.db_table
COLUMNS = ("brand_id", "day", "dimension", "affiliate_id", "value", "currency")


@transaction.atomic
def count_year(brand: Brand, *, now: datetime) -> None:
    """Of a brand whose days were never counted before."""
    # The first marking takes all days, so noted changes add nothing to it.
    StatisticsChange.objects.filter(brand_id=brand.pk).delete()
    mark_changes(brand, now=now)
    due = CountedDay.objects.filter(brand=brand, is_due=True)
    days = list(due.order_by("day").values_list("day", flat=True))
    table = Table(
        model=DailyFigures,
        columns=[*COLUMNS, *Figures._fields],
        pks=[],
        rows=[],
        seals=[],
    )
    for start in range(0, len(days), DAYS_AT_ONCE):
        # Read first: nothing can be read while the rows are copied.
        lines = list(_lines(brand, days[start : start + DAYS_AT_ONCE]))
        write_rows({FIGURES: table}, {FIGURES: lines})
    due.update(is_due=False, clicks_due=False)


def _lines(brand: Brand, days: Sequence[date]) -> Iterator[str]:
    span = Span(days[0], days[-1])
    rows = DaysOfRows(brand_id=brand.pk, days=span, zone=brand.zone())
    for day, tally in count_days([rows])[brand.pk].items():
        for cell, figures in tally.cells().items():
            yield line_of((brand.pk, day, *cell, *figures))
