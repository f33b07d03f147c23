"""The columns of a ranking: sets of metrics, and what looking at each takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.metrics import Metric
from affiliates.contrib.statistics.types import Dimension


@dataclass(frozen=True, slots=True)
class ColumnSet:
    title: str
    metrics: Sequence[Metric]


SETS: Mapping[str, ColumnSet] = {
    "performance": ColumnSet(
        "Performance",
        (
            metrics.NET_REVENUE,
            metrics.COMMISSION,
            metrics.SALES,
            metrics.ORDERS,
            metrics.SIGNUPS,
            metrics.UNIQUE_CLICKS,
            metrics.CONVERSION_RATE,
            metrics.REFUND_RATE,
        ),
    ),
    "clicks": ColumnSet(
        "Clicks",
        (
            metrics.CLICKS,
            metrics.HUMAN_CLICKS,
            metrics.UNIQUE_CLICKS,
            metrics.ROBOT_CLICKS,
            metrics.ROBOT_SHARE,
            metrics.CONVERSION_RATE,
            metrics.EPC,
        ),
    ),
    "commission": ColumnSet(
        "Commission by state",
        (
            metrics.COMMISSION,
            metrics.COMMISSION_PENDING,
            metrics.COMMISSION_MATURED,
            metrics.COMMISSION_HELD,
            metrics.COMMISSION_DUE,
            metrics.COMMISSION_PAID,
            metrics.COMMISSION_REJECTED,
            metrics.COMMISSION_TAKEN_BACK,
        ),
    ),
    "refunds": ColumnSet(
        "Refunds and cost",
        (
            metrics.SALES,
            metrics.REVERSALS,
            metrics.REFUND_RATE,
            metrics.REVENUE,
            metrics.NET_REVENUE,
            metrics.COMMISSION_TAKEN_BACK,
            metrics.DISCOUNTS,
            metrics.PROGRAM_COST,
            metrics.COST_PERCENT,
        ),
    ),
    "clients": ColumnSet("Clients", metrics.CLIENT_METRICS),
}
OF_AFFILIATES = "clients"
_FIRST = "performance"
# Products and coupons have no clicks.
_WITHOUT_CLICKS = (Dimension.PRODUCT, Dimension.COUPON)
_OF_CLICKS = {
    metrics.CLICKS,
    metrics.HUMAN_CLICKS,
    metrics.UNIQUE_CLICKS,
    metrics.ROBOT_CLICKS,
    metrics.ROBOT_SHARE,
    metrics.CONVERSION_RATE,
    metrics.EPC,
    metrics.SIGNUPS,
}


def sets_of(dimension: Dimension) -> dict[str, ColumnSet]:
    """The sets that say anything about parts of this kind."""
    sets = {
        name: ColumnSet(value.title, columns_of(dimension, value.metrics))
        for name, value in SETS.items()
        if name != OF_AFFILIATES or dimension is Dimension.AFFILIATE
    }
    return {name: value for name, value in sets.items() if value.metrics}


def columns_of(dimension: Dimension, columns: Sequence[Metric]) -> list[Metric]:
    unknown = set(_OF_CLICKS) if dimension in _WITHOUT_CLICKS else set()
    if dimension is Dimension.PRODUCT:
        unknown.add(metrics.ORDERS)
    return [column for column in columns if column not in unknown]


def choose_set(dimension: Dimension, name: str) -> str:
    return name if name in sets_of(dimension) else _FIRST


def every_column(dimension: Dimension) -> list[Metric]:
    """All metrics, once each: the columns of a file."""
    of_clients = metrics.CLIENT_METRICS if dimension is Dimension.AFFILIATE else ()
    return columns_of(dimension, (*metrics.METRICS, *of_clients))
