"""The numbers of every brand side by side; amounts in a column for each currency."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest

from affiliates.contrib.desk.figures.numbers import seen
from affiliates.contrib.desk.figures.screens import OF_BRAND, path_of
from affiliates.contrib.statistics import selectors
from affiliates.contrib.statistics.drawing import text_of
from affiliates.contrib.statistics.metrics import Kind
from affiliates.contrib.statistics.spans import Chosen, choose_days
from affiliates.contrib.statistics.types import total_of


def by_brand(request: HttpRequest, chosen: Chosen, *, now: datetime) -> dict[str, Any]:
    """Each brand by its own days; the last line adds them up."""
    days = [
        choose_days(
            chosen.form, brand, chosen.brands, {"brand": str(brand.pk)}, now=now
        )
        for brand in chosen.shown_brands
    ]
    totals = selectors.totals_of_brands({day.brand: day.span for day in days}, now=now)
    totals_by_day = [totals[day.brand.pk] for day in days]
    whole = total_of(totals_by_day)
    columns = [
        (f"{metric.label} {currency}".strip(), metric, rows, currency)
        for metric, rows in seen(request, OF_BRAND.tiles)
        # Rates have lists of two kinds of rows: they are on each brand's own page.
        if len(rows) == 1
        for currency in (whole.currencies if metric.kind is Kind.MONEY else [""])
    ]
    return {
        "columns": [label for label, *_ in columns],
        "rows": [
            (
                of.brand,
                of.query,
                [
                    (
                        label,
                        text_of(metric, sums, code),
                        path_of(rows, of, code, None),
                    )
                    for label, metric, rows, code in columns
                ],
            )
            for of, sums in zip(days, totals_by_day, strict=True)
        ],
        "whole": [
            (label, text_of(metric, whole, code)) for label, metric, _, code in columns
        ],
    }
