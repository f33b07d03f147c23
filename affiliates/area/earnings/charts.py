"""What came of the affiliate's links, drawn beside the days before."""

from __future__ import annotations

from datetime import datetime

from affiliates.admin_tools.charts import Chart
from affiliates.desk.figures.drawing import chart_of, sum_of
from affiliates.desk.spans import span_text
from affiliates.program.models import Affiliate
from affiliates.statistics import metrics, selectors
from affiliates.statistics.reading import OpenDays
from affiliates.statistics.types import Span, Step


def charts_of(
    affiliate: Affiliate, span: Span, step: Step, *, now: datetime
) -> list[Chart]:
    """Clicks, orders and the commission in each currency; none where nothing happened."""
    points, earlier = selectors.series_of(
        affiliate.brand_id,
        [span, span.before()],
        step,
        affiliate_id=affiliate.pk,
        open_days=OpenDays(now=now, brand=affiliate.brand),
    )
    both = sum_of(points) + sum_of(earlier)
    drawn = [(metrics.HUMAN_CLICKS, ""), (metrics.ORDERS, "")]
    drawn += [(metrics.COMMISSION, currency) for currency in both.currencies]
    return [
        chart_of(
            metric,
            points,
            earlier,
            currency,
            before_words=span_text(span.before()),
            is_bars=not currency,
        )
        for metric, currency in drawn
        if both
    ]
