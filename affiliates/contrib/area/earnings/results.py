"""Results of a span, or of a thing that an affiliate shares, as pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from affiliates.contrib.area.api.statistics import value_of
from affiliates.contrib.area.templatetags.affiliates_area import NOTHING, amount
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.drawing import change_text, figures_of, title_of
from affiliates.contrib.statistics.metrics import Kind, Metric
from affiliates.contrib.statistics.types import Figures, Statistics

# The columns of tables of links, addresses, sub-ids, sites and countries.
COLUMNS = (
    metrics.HUMAN_CLICKS,
    metrics.UNIQUE_CLICKS,
    metrics.ORDERS,
    metrics.SALES,
    metrics.CONVERSION_RATE,
    metrics.EPC,
    metrics.COMMISSION,
)
# Beside the addresses there is no room for all of them.
OF_LINKS = tuple(column for column in COLUMNS if column is not metrics.UNIQUE_CLICKS)
OF_COUPONS = (metrics.ORDERS, metrics.SALES, metrics.COMMISSION)


def compared(
    shown: Sequence[Metric], this: Statistics, before: Statistics, currency: str
) -> list[dict[str, Any]]:
    """Each metric of a span beside the span before, amounts in this currency."""
    return [
        {
            "metric": metric,
            "title": title_of(metric, currency),
            "this": _text(metric, now, currency),
            "before": _text(metric, then, currency),
            "change": change_text(metric, now, then),
        }
        for metric in shown
        if currency or metric.kind is not Kind.MONEY
        for now, then in [
            [figures_of(metric, span, currency) for span in (this, before)]
        ]
    ]


def _text(metric: Metric, figures: Figures, currency: str) -> str:
    value = value_of(metric, figures, currency)
    if value is None:
        return NOTHING
    if metric.kind is Kind.MONEY:
        return amount(str(value), currency)
    return metric.text(figures)
