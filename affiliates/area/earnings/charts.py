"""What came of the affiliate's links, drawn beside the days before."""

from __future__ import annotations

from collections.abc import Sequence

from affiliates.admin_tools.charts import Chart
from affiliates.desk.figures.drawing import chart_of
from affiliates.desk.spans import span_text
from affiliates.statistics import metrics
from affiliates.statistics.types import Point, Span, sum_of


def charts_of(points: Sequence[Point], earlier: Sequence[Point]) -> list[Chart]:
    """Clicks, orders and the commission in each currency; none where nothing happened."""
    both = sum_of(points) + sum_of(earlier)
    drawn = [(metrics.HUMAN_CLICKS, ""), (metrics.ORDERS, "")]
    drawn += [(metrics.COMMISSION, currency) for currency in both.currencies]
    return [
        chart_of(
            metric,
            points,
            earlier,
            currency,
            before_words=span_text(Span(earlier[0].first, earlier[-1].last)),
            is_bars=not currency,
        )
        for metric, currency in drawn
        if both
    ]
