"""The metrics of affiliates/contrib/statistics in answers."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from rest_framework import serializers

from affiliates.api.serializers import shape_of
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.metrics import Kind, Metric
from affiliates.contrib.statistics.types import Figures, Statistics
from affiliates.core.money import decimal_text

# The others are only for the brand.
SHOWN = [one for one in metrics.METRICS if one not in metrics.FOR_STAFF]
COUNTS = [one for one in SHOWN if one.kind is not Kind.MONEY]
AMOUNTS = [one for one in SHOWN if one.kind is Kind.MONEY]


def figures_data(statistics: Statistics, currencies: Sequence[str]) -> dict[str, Any]:
    counts = statistics.counts
    amounts = {currency: statistics.in_currency(currency) for currency in currencies}
    return {
        "counts": {one.name: value_of(one, counts, "") for one in COUNTS},
        "amounts": {
            currency: {one.name: value_of(one, figures, currency) for one in AMOUNTS}
            for currency, figures in amounts.items()
        },
    }


def _field(metric: Metric) -> serializers.Field[Any, Any, Any, Any]:
    text = str(metric.definition)
    if metric.kind is Kind.COUNT:
        return serializers.IntegerField(help_text=text)
    is_ratio = metric in (metrics.CONVERSION_RATE, metrics.EPC)
    return serializers.CharField(help_text=text, allow_null=is_ratio)


def value_of(metric: Metric, figures: Figures, currency: str) -> int | str | None:
    value = metric.of(figures)
    if value is None or metric.kind is Kind.COUNT:
        return None if value is None else int(value)
    if metric.kind is Kind.MONEY:
        return decimal_text(round(value), currency)
    return str(round(Decimal(value), 1))


def _described() -> type[serializers.Serializer[Any]]:
    """The description of figures: each metric by its definition."""
    counts = {one.name: _field(one) for one in COUNTS}
    amounts = {one.name: _field(one) for one in AMOUNTS}
    figures = {
        "counts": shape_of("FigureCounts", counts)(),
        "amounts": serializers.DictField(
            child=shape_of("FigureAmounts", amounts)(),
            help_text="By currency.",
        ),
    }
    return shape_of("Figures", figures)


FiguresSerializer = _described()
