"""The numbers of a brand's span beside those of the span before, each with its rows.

Nothing is computed here: ``affiliates.statistics`` defines every metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from affiliates.admin_tools.charts import Chart
from affiliates.commissions.rules import CommissionStatus
from affiliates.desk.figures.drawing import chart_of, figures_of, sum_of, text_of
from affiliates.desk.spans import Chosen
from affiliates.referrals.rules.choices import Outcome
from affiliates.statistics import metrics, selectors
from affiliates.statistics.metrics import Kind, Metric
from affiliates.statistics.reading import OpenDays
from affiliates.statistics.types import Dimension, Figures, Point, Statistics, Step

# Of a longer span the charts show weeks.
MAX_DAYS_DRAWN = 100
SHOWN_IN_TOP = 5
EARNING = [one for one in CommissionStatus if one not in ("rejected", "reversed")]


@dataclass(frozen=True, slots=True)
class Rows:
    """The list of the rows that a metric adds up: when each happened, and which of them."""

    model: str
    moment: str
    lookups: Mapping[str, str]
    currency: str = ""

    def path(self, chosen: Chosen, currency: str) -> str:
        first, end = chosen.moments
        asked = {
            "brand__id__exact": str(chosen.brand.pk),
            f"{self.moment}__gte": first.isoformat(),
            f"{self.moment}__lt": end.isoformat(),
            **self.lookups,
        }
        if self.currency:
            asked[f"{self.currency}__exact"] = currency
        page = reverse(f"admin:affiliates_{self.model}_changelist")
        return f"{page}?{urlencode(asked)}"


CLICKS = Rows("click", "created_at", {"affiliate__isnull": "0", "bot_signs__exact": ""})
SIGNUPS = Rows("clientreferral", "bound_at", {"affiliate__isnull": "0"})
ORDERS = Rows(
    "orderreferral",
    "converted_at",
    {"outcome__in": f"{Outcome.CREDITED},{Outcome.HELD}"},
)
SALES = Rows("sale", "paid_at", {})
REVENUE = Rows("sale", "paid_at", {}, currency="net_currency")
COMMISSION = Rows(
    "commission", "earned_at", {"status__in": ",".join(EARNING)}, currency="currency"
)
# What is shown, and of which rows it is made; what is made of several leads to none.
SHOWN: Sequence[tuple[Metric, Sequence[Rows]]] = (
    (metrics.HUMAN_CLICKS, [CLICKS]),
    (metrics.SIGNUPS, [SIGNUPS]),
    (metrics.ORDERS, [ORDERS]),
    (metrics.SALES, [SALES]),
    (metrics.NET_REVENUE, [REVENUE]),
    (metrics.COMMISSION, [COMMISSION]),
    (metrics.COST_PERCENT, [REVENUE, COMMISSION]),
    (metrics.CONVERSION_RATE, [CLICKS, ORDERS]),
)
DRAWN_AS_LINES = (metrics.NET_REVENUE, metrics.COMMISSION)
DRAWN_AS_BARS = (metrics.HUMAN_CLICKS, metrics.ORDERS)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best of a kind by the last of the metrics. ``model``: whose pages they have."""

    title: str | Promise
    dimension: Dimension
    model: str
    metrics: Sequence[Metric]


RANKINGS = (
    Ranking(
        gettext_lazy("Top affiliates"),
        Dimension.AFFILIATE,
        "affiliate",
        [metrics.SALES, metrics.COMMISSION],
    ),
    Ranking(
        gettext_lazy("Top links"),
        Dimension.LINK,
        "affiliatelink",
        [metrics.ORDERS, metrics.HUMAN_CLICKS],
    ),
    Ranking(
        gettext_lazy("Top products"),
        Dimension.PRODUCT,
        "",
        [metrics.SALES, metrics.NET_REVENUE],
    ),
)


def numbers(request: HttpRequest, chosen: Chosen, *, now: datetime) -> dict[str, Any]:
    """As much as this person may look at; money in the currency asked for, if any."""
    tiles = [
        (metric, rows)
        for metric, rows in SHOWN
        if all(_may_look(request, one.model) for one in rows)
    ]
    seen = [metric for metric, _rows in tiles]
    is_long = (chosen.span.last - chosen.span.first).days >= MAX_DAYS_DRAWN
    step = Step.WEEK if is_long else Step.DAY
    # What is not over yet is counted once for all that is shown.
    dimensions = (one.dimension for one in RANKINGS)
    open_days = OpenDays(*dimensions, now=now, brand=chosen.brand)
    points, earlier = selectors.series_of(
        chosen.brand.pk, [chosen.span, chosen.before], step, open_days=open_days
    )
    this, before = sum_of(points), sum_of(earlier)
    currencies = sorted({*this.currencies, *before.currencies})
    currency = _chosen_currency(request, this, currencies)
    return {
        "currency": currency,
        "currencies": currencies,
        "tiles": [
            {
                **_compared(metric, this, before, currency),
                "path": rows[0].path(chosen, currency) if len(rows) == 1 else "",
            }
            for metric, rows in tiles
        ],
        "charts": _charts(chosen, seen, points, earlier, currency),
        "tops": [
            _top(chosen, ranking, currency, open_days)
            for ranking in RANKINGS
            if all(metric in seen for metric in ranking.metrics)
            and _may_look(request, ranking.model)
        ],
        "cut_off": _cut_off(chosen, open_days),
    }


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
            before_words=chosen.before_words,
            is_bars=metric in DRAWN_AS_BARS,
        )
        for metric in (*DRAWN_AS_LINES, *DRAWN_AS_BARS)
        if metric in seen and (currency or metric not in DRAWN_AS_LINES)
    ]


def _chosen_currency(
    request: HttpRequest, this: Statistics, currencies: Sequence[str]
) -> str:
    """Else that of most sales: amounts of several cannot be compared."""
    asked = request.GET.get("currency", "")
    if asked in currencies:
        return asked
    return max(currencies, key=lambda code: this.in_currency(code).sales, default="")


def _may_look(request: HttpRequest, model: str) -> bool:
    return not model or request.user.has_perm(f"affiliates.view_{model}")


def _compared(
    metric: Metric, this: Statistics, before: Statistics, currency: str
) -> dict[str, str]:
    now, then = (figures_of(metric, one, currency) for one in (this, before))
    return {
        "label": str(metric.label),
        "definition": str(metric.definition),
        "text": metric.text(now, currency),
        "before": metric.text(then, currency),
        "change": _change(metric, now, then),
    }


def _change(metric: Metric, now: Figures, then: Figures) -> str:
    """In per cent of what was before; of a rate, in its own points."""
    value, before = metric.of(now), metric.of(then)
    if value is None or before is None:
        return ""
    if metric.kind is Kind.PERCENT:
        said = number_format(f"{value - before:.1f}", decimal_pos=1)
        change = _("%(points)s points") % {"points": said}
    elif before > 0:
        change = (
            f"{number_format(round((value - before) * 100 / before), decimal_pos=0)} %"
        )
    else:
        return ""
    return change.replace("-", "−", 1) if change.startswith("-") else f"+{change}"


def _top(
    chosen: Chosen, ranking: Ranking, currency: str, open_days: OpenDays
) -> dict[str, Any]:
    by = ranking.metrics[-1]
    rows = selectors.top(
        chosen.brand.pk,
        chosen.span,
        ranking.dimension,
        metric=by,
        currency=currency if by.kind is Kind.MONEY else "",
        now=open_days.now,
        open_days=open_days,
        limit=SHOWN_IN_TOP,
    )
    page = f"admin:affiliates_{ranking.model}_change"
    return {
        "title": ranking.title,
        "columns": [str(metric.label) for metric in ranking.metrics],
        "rows": [
            (
                row.label,
                reverse(page, args=[row.key]) if ranking.model else "",
                [text_of(one, row.statistics, currency) for one in ranking.metrics],
            )
            for row in rows
        ],
    }


def _cut_off(chosen: Chosen, open_days: OpenDays) -> str:
    """Up to when the numbers are complete, and whose days they are."""
    state = open_days.state(chosen.brand)
    said = _("Days of %(zone)s. All of this moment.")
    words = {"zone": str(chosen.zone)}
    if state is not None:
        said = _(
            "Days of %(zone)s. From %(day)s on of this moment; what has changed about "
            "earlier days since %(at)s follows."
        )
        words["day"] = date_format(open_days.first(chosen.brand), "j M")
        at = state.counted_at.astimezone(chosen.zone)
        words["at"] = date_format(at, "j M, H:i")
    return said % words
