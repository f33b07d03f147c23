"""Charts of a metric by day, by week of a long span, or by month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache

from django.utils.formats import date_format, number_format
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from affiliates.admin_tools.charts import Chart, top_of
from affiliates.admin_tools.charts import Point as Drawn
from affiliates.contrib.statistics.metrics import Kind, Metric
from affiliates.contrib.statistics.types import (
    Figures,
    Point,
    Statistics,
    Step,
    sum_of,
)

MONTH = "M Y"
BEST = {
    Step.DAY: _("%(total)s (period before: %(before)s). Best day: %(day)s (%(best)s)."),
    Step.WEEK: _(
        "%(total)s (period before: %(before)s). Best week: %(day)s (%(best)s)."
    ),
    Step.MONTH: _(
        "%(total)s (period before: %(before)s). Best month: %(day)s (%(best)s)."
    ),
}
UNFINISHED = {
    Step.DAY: _("Today, so far"),
    Step.WEEK: _("This week, so far"),
    Step.MONTH: _("This month, so far"),
}


def chart_of(
    metric: Metric,
    points: Sequence[Point],
    earlier: Sequence[Point],
    currency: str,
    *,
    step: Step,
    before_words: str,
    is_bars: bool,
) -> Chart:
    drawn = [
        _drawn(
            metric,
            point,
            earlier[place] if place < len(earlier) else None,
            currency,
            step,
        )
        for place, point in enumerate(points)
    ]
    top = top_of(drawn)
    return Chart(
        title=title_of(metric, currency),
        sentence=_sentence(
            drawn,
            step,
            total=text_of(metric, sum_of(points), currency),
            before=text_of(metric, sum_of(earlier), currency),
        ),
        what=str(metric.label),
        before_what=before_words,
        step=str(step.label),
        points=drawn,
        top=top,
        axis=_axis(metric, top, currency),
        unfinished=str(UNFINISHED[step]) if points[-1].is_open else "",
        is_bars=is_bars,
    )


def title_of(metric: Metric, currency: str) -> str:
    """Returns the metric's label, with the currency of amounts."""
    if metric.kind is not Kind.MONEY:
        return str(metric.label)
    facts = {"metric": metric.label, "currency": currency}
    return gettext("%(metric)s in %(currency)s") % facts


def _axis(metric: Metric, top: int, currency: str) -> list[str]:
    """Texts of the top, a whole middle, and zero; of zero alone without any value."""
    marks = [top or None, None if top % 2 or not top else top // 2, 0]
    return [
        "" if mark is None else metric.text(_as_much(metric, mark), currency)
        for mark in marks
    ]


def _sentence(drawn: Sequence[Drawn], step: Step, *, total: str, before: str) -> str:
    best = max(drawn, key=lambda row: row.value)
    if any(bar.value for bar in drawn):
        sentence = str(BEST[step])
    elif any(bar.before for bar in drawn):
        sentence = gettext("Nothing in this period (period before: %(before)s).")
    else:
        sentence = gettext("Nothing in this period or in the period before.")
    return sentence % {
        "total": total,
        "before": before,
        "day": best.label,
        "best": best.text,
    }


def _drawn(
    metric: Metric, point: Point, before: Point | None, currency: str, step: Step
) -> Drawn:
    figures = figures_of(metric, point.statistics, currency)
    # Which day of a month, as Django's date formats write it.
    short, whole = gettext("j M"), gettext("j M Y")
    drawn = Drawn(
        label=step_text(point, step, short),
        value=int(metric.of(figures) or 0),
        text=metric.text(figures, currency),
    )
    if before is None:
        return drawn
    figures = figures_of(metric, before.statistics, currency)
    is_same_year = before.first.year == point.last.year
    return replace(
        drawn,
        before=int(metric.of(figures) or 0),
        before_text=metric.text(figures, currency),
        before_label=step_text(before, step, short if is_same_year else whole),
    )


def step_text(point: Point, step: Step, pattern: str) -> str:
    """A day, the first and last day of a week, or a month that is not cut."""
    following = point.last + timedelta(days=1)
    is_whole = point.first.day == 1 and (point.is_open or following.day == 1)
    if step is Step.MONTH and is_whole:
        return day_text(point.first, MONTH)
    ends = dict.fromkeys([point.first, point.last])
    return " – ".join(day_text(day, pattern) for day in ends)


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


def change_text(metric: Metric, now: Figures, then: Figures) -> str:
    """In per cent of what was before; of a rate, in its own points."""
    value, before = metric.of(now), metric.of(then)
    if value is None or before is None:
        return ""
    if metric.kind is Kind.PERCENT:
        # Zero without the sign of what was rounded to it.
        points = number_format(round(Decimal(value - before), 1) + 0, decimal_pos=1)
        change = gettext("%(points)s points") % {"points": points}
    elif before > 0:
        change = (
            f"{number_format(round((value - before) * 100 / before), decimal_pos=0)} %"
        )
    else:
        return ""
    return change.replace("-", "−", 1) if change.startswith("-") else f"+{change}"


def text_of(metric: Metric, statistics: Statistics, currency: str) -> str:
    return metric.text(figures_of(metric, statistics, currency), currency)
