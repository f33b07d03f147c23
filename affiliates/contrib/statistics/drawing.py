"""The charts of the first page: a metric day by day, or week by week of a long span."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from affiliates.admin_tools.charts import Chart, top_of
from affiliates.admin_tools.charts import Point as Drawn
from affiliates.contrib.statistics.metrics import Kind, Metric
from affiliates.contrib.statistics.types import Figures, Point, Statistics, sum_of


def chart_of(
    metric: Metric,
    points: Sequence[Point],
    earlier: Sequence[Point],
    currency: str,
    *,
    before_words: str,
    is_bars: bool,
) -> Chart:
    drawn = [
        _drawn(
            metric, point, earlier[place] if place < len(earlier) else None, currency
        )
        for place, point in enumerate(points)
    ]
    top = top_of(drawn)
    money = {"currency": currency} if metric.kind is Kind.MONEY else {}
    title = str(metric.label)
    return Chart(
        title=_("%(metric)s in %(currency)s") % {"metric": title, **money}
        if money
        else title,
        sentence=_sentence(
            drawn,
            total=text_of(metric, sum_of(points), currency),
            before=text_of(metric, sum_of(earlier), currency),
        ),
        what=title,
        before_what=before_words,
        points=drawn,
        top=top,
        top_text=metric.text(_as_much(metric, top), currency),
        is_unfinished=points[-1].is_open,
        is_bars=is_bars,
    )


def _sentence(drawn: Sequence[Drawn], *, total: str, before: str) -> str:
    best = max(drawn, key=lambda row: row.value)
    if any(bar.value for bar in drawn):
        said = _("%(total)s (period before: %(before)s). Best day: %(day)s (%(best)s).")
    elif any(bar.before for bar in drawn):
        said = _("Nothing in this period (period before: %(before)s).")
    else:
        said = _("Nothing in this period or in the period before.")
    return said % {
        "total": total,
        "before": before,
        "day": best.label,
        "best": best.text,
    }


def _drawn(metric: Metric, point: Point, before: Point | None, currency: str) -> Drawn:
    figures = figures_of(metric, point.statistics, currency)
    then = None if before is None else figures_of(metric, before.statistics, currency)
    # Which day of a month, as Django's date formats write it.
    written = _("j M")
    label = day_text(point.first, written)
    if point.last != point.first:
        label = f"{label} – {day_text(point.last, written)}"
    return Drawn(
        label=label,
        value=int(metric.of(figures) or 0),
        text=metric.text(figures, currency),
        before=None if then is None else int(metric.of(then) or 0),
        before_text="" if then is None else metric.text(then, currency),
    )


def day_text(day: date, pattern: str) -> str:
    """By a date format of Django's: every chart of a page has the same days."""
    return _day_text(day, pattern, get_language())


@lru_cache(maxsize=5_000)
def _day_text(day: date, pattern: str, language: str | None) -> str:  # noqa: ARG001 - the active one
    return str(date_format(day, pattern))


def _as_much(metric: Metric, value: int) -> Figures:
    """Figures of which the metric has this value: what its scale is written by."""
    return Figures(**{metric.fields[0]: value})


def figures_of(metric: Metric, statistics: Statistics, currency: str) -> Figures:
    if metric.has_amounts and currency:
        return statistics.in_currency(currency)
    return statistics.counts


def text_of(metric: Metric, statistics: Statistics, currency: str) -> str:
    return metric.text(figures_of(metric, statistics, currency), currency)
