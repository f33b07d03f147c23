"""The numbers of a span beside those of the span before, each with its rows.

Nothing is computed here: ``affiliates.contrib.statistics`` defines every metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format

from affiliates.admin_tools.charts import Chart
from affiliates.admin_tools.naming import page_name, permission_to
from affiliates.contrib.desk.figures.screens import (
    OF_BRAND,
    Ranking,
    Screen,
    Shown,
    path_of,
)
from affiliates.contrib.statistics import metrics, selectors
from affiliates.contrib.statistics.drawing import (
    change_text,
    chart_of,
    figures_of,
    text_of,
)
from affiliates.contrib.statistics.metrics import Kind, Metric
from affiliates.contrib.statistics.models import CountedDay
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.selectors import TopAsked
from affiliates.contrib.statistics.spans import Chosen
from affiliates.contrib.statistics.types import (
    Dimension,
    Point,
    Row,
    Statistics,
    Step,
    currency_to_show,
    sum_of,
)
from affiliates.plans.catalogue import catalogue_of

SHOWN_IN_TOP = 5
DRAWN_AS_LINES = (metrics.NET_REVENUE, metrics.COMMISSION)
DRAWN_AS_BARS = (metrics.HUMAN_CLICKS, metrics.ORDERS)


def numbers(
    request: HttpRequest, chosen: Chosen, screen: Screen = OF_BRAND, *, now: datetime
) -> dict[str, Any]:
    """Returns the figures that this person may see, amounts in the chosen currency."""
    tiles, states = (seen(request, shown) for shown in (screen.tiles, screen.states))
    visible = [metric for metric, _rows in tiles]
    # What is not over yet is counted once for all that is shown.
    dimensions = (ranking.dimension for ranking in screen.rankings)
    open_days = OpenDays(*dimensions, now=now, brands=[chosen.brand])
    points, earlier = selectors.series_of(
        chosen.brand.pk,
        [chosen.span, chosen.before],
        Step.to_draw(chosen.span),
        affiliate_id=screen.affiliate_id,
        open_days=open_days,
    )
    this, before = sum_of(points), sum_of(earlier)
    currencies = sorted({*this.currencies, *before.currencies})
    currency = chosen_currency(request, this, currencies)

    def compared(shown: Shown) -> list[dict[str, str]]:
        return [
            {
                **_compared(metric, this, before, currency),
                "path": path_of(rows, chosen, currency, screen.affiliate_id),
            }
            for metric, rows in shown
        ]

    return {
        "currency": currency,
        "currencies": currencies,
        "tiles": compared(tiles),
        "states": compared(states),
        "charts": _charts(chosen, visible, points, earlier, currency),
        "tops": _tops(
            chosen,
            [
                ranking
                for ranking in screen.rankings
                if all(metric in visible for metric in ranking.metrics)
                and _may_look(request, ranking.model)
            ],
            screen.affiliate_id,
            currency,
            open_days,
        ),
        "cut_off": cut_off(chosen, open_days),
    }


def seen(request: HttpRequest, shown: Shown) -> Shown:
    """Numbers of rows that this person may look at."""
    return [
        (metric, rows)
        for metric, rows in shown
        if all(_may_look(request, row.model) for row in rows)
    ]


def _charts(
    chosen: Chosen,
    seen: Sequence[Metric],
    points: Sequence[Point],
    earlier: Sequence[Point],
    currency: str,
) -> list[Chart]:
    """None where nothing happened at all."""
    if not sum_of(points) and not sum_of(earlier):
        return []
    return [
        chart_of(
            metric,
            points,
            earlier,
            currency,
            step=Step.to_draw(chosen.span),
            before_words=chosen.before_words,
            is_bars=metric in DRAWN_AS_BARS,
        )
        for metric in (*DRAWN_AS_LINES, *DRAWN_AS_BARS)
        if metric in seen and (currency or metric not in DRAWN_AS_LINES)
    ]


def chosen_currency(
    request: HttpRequest, this: Statistics, currencies: Sequence[str]
) -> str:
    """Else that of most sales: amounts of several cannot be compared."""
    return currency_to_show(request.GET.get("currency", ""), this, currencies)


def _may_look(request: HttpRequest, model: str) -> bool:
    return not model or request.user.has_perm(permission_to("view", model))


def _compared(
    metric: Metric, this: Statistics, before: Statistics, currency: str
) -> dict[str, str]:
    now, then = (
        figures_of(metric, statistics, currency) for statistics in (this, before)
    )
    return {
        "label": str(metric.label),
        "definition": str(metric.definition),
        "text": metric.text(now, currency),
        "before": metric.text(then, currency),
        "change": change_text(metric, now, then),
    }


def _tops(
    chosen: Chosen,
    rankings: Sequence[Ranking],
    affiliate_id: int | None,
    currency: str,
    open_days: OpenDays,
) -> list[dict[str, Any]]:
    asked = [
        TopAsked(ranking.dimension, by, currency if by.kind is Kind.MONEY else "")
        for ranking in rankings
        for by in ranking.metrics[-1:]
    ]
    ranked = selectors.tops(
        chosen.brand.pk,
        chosen.span,
        asked,
        affiliate_id=affiliate_id,
        open_days=open_days,
        limit=SHOWN_IN_TOP,
    )
    return [
        _top(ranking, rows, chosen, currency)
        for ranking, rows in zip(rankings, ranked, strict=True)
    ]


def _top(
    ranking: Ranking, rows: Sequence[Row], chosen: Chosen, currency: str
) -> dict[str, Any]:
    page = page_name(ranking.model, "change") if ranking.model else ""
    is_of_products = bool(rows) and ranking.dimension is Dimension.PRODUCT
    names = catalogue_of(chosen.brand.pk).distinct_names if is_of_products else {}
    return {
        "title": ranking.title,
        "columns": [str(metric.label) for metric in ranking.metrics],
        "rows": [
            (
                names.get(row.label, row.label),
                reverse(page, args=[row.key]) if ranking.model else "",
                [
                    text_of(metric, row.statistics, currency)
                    for metric in ranking.metrics
                ],
            )
            for row in rows
        ],
    }


def cut_off(chosen: Chosen, open_days: OpenDays) -> str:
    """Up to when the numbers are complete, and whose days they are."""
    state = open_days.state(chosen.brand)
    zone = str(chosen.zone)
    if state is None:
        return f"Days of {zone}, counted live."
    words = {
        "zone": zone,
        "day": date_format(open_days.first(chosen.brand), "j M"),
        "at": date_format(state.counted_at.astimezone(chosen.zone), "j M, H:i"),
        "before": state.time_zone,
        "count": _days_due(chosen),
    }
    if state.time_zone not in ("", zone):
        return _STILL_OF_ANOTHER_ZONE % words
    if words["count"]:
        return f"{_COUNTED_AGAIN} {_OLD_NUMBERS}" % words
    return _COUNTED_AGAIN % words


# Until the worker has seen that the brand's time zone has changed.
_STILL_OF_ANOTHER_ZONE = (
    "Days from %(day)s are days of %(zone)s, counted live. Earlier days are still days "
    "of %(before)s: they will be counted again."
)
_COUNTED_AGAIN = (
    "Days of %(zone)s. Days from %(day)s are counted live; earlier days were last "
    "counted on %(at)s."
)
_OLD_NUMBERS = (
    "Days that are being counted again, and show their old numbers: %(count)s."
)


def _days_due(chosen: Chosen) -> int:
    days = (chosen.before.first, chosen.span.last)
    due = CountedDay.objects.filter(brand=chosen.brand, is_due=True)
    return due.filter(day__range=days).count()
