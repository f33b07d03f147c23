"""Charts of the affiliate's commission, clicks and orders beside the days before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from affiliates.admin_tools.charts import Chart
from affiliates.contrib.area.templatetags.affiliates_area import day
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.drawing import chart_of
from affiliates.contrib.statistics.types import Point, Span, Step, folded, sum_of


def charts_of(
    span: Span,
    points: Sequence[Point],
    earlier: Sequence[Point],
    *,
    by: Step = Step.DAY,
    currency: str = "",
) -> Iterator[Chart]:
    """Draws the commission, of every currency or one, clicks and orders; none without any."""
    step = max(by, Step.to_draw(span), key=list(Step).index)
    points, earlier = folded(points, step, span), folded(earlier, step, span.before())
    both = sum_of(points) + sum_of(earlier)
    currencies = [currency] if currency else both.currencies
    drawn = [(metrics.COMMISSION, code) for code in currencies]
    drawn += [(metrics.HUMAN_CLICKS, ""), (metrics.ORDERS, "")]
    for metric, code in drawn if both else ():
        yield chart_of(
            metric,
            points,
            earlier,
            code,
            step=step,
            before_words=_in_words(span.before()),
            is_bars=not code,
        )


def _in_words(span: Span) -> str:
    first, last = (day(moment) for moment in (span.first, span.last))
    return first if first == last else f"{first} – {last}"
