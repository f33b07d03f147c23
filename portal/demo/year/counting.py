"""Counts the days of the year at once.

One by one, as the worker does, they would be half of the seeding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from typing import Any

from django.db import transaction

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.counting.days import count_days
from affiliates.contrib.statistics.counting.rows import DaysOfRows
from affiliates.contrib.statistics.counting.tally import Tally
from affiliates.contrib.statistics.models import (
    CountedDay,
    DailyFigures,
    StatisticsChange,
)
from affiliates.contrib.statistics.services import mark_changes
from affiliates.contrib.statistics.types import CLICK_FIELDS, Figures, Span
from affiliates.visits.models import Click
from portal.demo.seeding.writing import write_values

COLUMNS = ("brand_id", "day", "dimension", "affiliate_id", "value", "currency")


@transaction.atomic
def count_year(brand: Brand, *, now: datetime) -> None:
    """Of a brand whose days were never counted before."""
    # The first marking takes all days, so noted changes add nothing to it.
    StatisticsChange.objects.filter(brand_id=brand.pk).delete()
    mark_changes(brand, now=now)
    due = CountedDay.objects.filter(brand=brand, is_due=True)
    days = list(due.order_by("day").values_list("day", flat=True))
    rows = DaysOfRows(
        brand_id=brand.pk, days=Span(days[0], days[-1]), zone=brand.zone()
    )
    tallies = count_days([rows], with_clicks=False)[brand.pk]
    _add_clicks(rows, tallies)
    write_values(
        DailyFigures._meta.db_table,
        [*COLUMNS, *Figures._fields],
        (
            (brand.pk, str(day), *cell, *figures)
            for day, tally in tallies.items()
            for cell, figures in tally.cells().items()
        ),
    )
    due.update(is_due=False, clicks_due=False)


def _add_clicks(days: DaysOfRows, tallies: Mapping[date, Tally]) -> None:
    """Counts clicks as ``count_days`` does, without a query for each day."""
    counts: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    visitors = set()
    clicks = days.rows(Click, "created_at").order_by("created_at", "pk")
    for created_at, visitor_id, bot_signs, *key in clicks.values_list(
        "created_at", "visitor_id", "bot_signs", "affiliate_id", *days.columns
    ):
        day = created_at.astimezone(days.zone).date()
        count = counts[day, *key]
        count[0] += 1
        if bot_signs:
            continue
        count[1] += 1
        visitor = (day, key[0], visitor_id)
        if visitor_id is not None and visitor not in visitors:
            visitors.add(visitor)
            count[2] += 1
    parts = cache(lambda *values: days.parts(values))
    for (day, affiliate_id, *values), count in counts.items():
        figures = dict(zip(CLICK_FIELDS, count, strict=True))
        tallies[day].add(affiliate_id, figures, parts(*values))
