"""Any span of days beside as many before it: by days, or by where it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.api.lists import readable_faults
from affiliates.contrib.area.api.statistics import (
    AMOUNTS,
    BY,
    COUNTS,
    Found,
    read_statistics,
    statistics_data,
    statistics_file,
    value_of,
    whole_data,
)
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.charts import charts_of
from affiliates.contrib.area.earnings.lists import FILE, DaysForm
from affiliates.contrib.area.templatetags.affiliates_area import amount
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.drawing import day_text
from affiliates.contrib.statistics.metrics import Metric
from affiliates.contrib.statistics.types import Figures, Point, Row, Step, sum_of

COLUMNS = (
    metrics.CLICKS,
    metrics.UNIQUE_CLICKS,
    metrics.SIGNUPS,
    metrics.ORDERS,
    metrics.SALES,
)
# Shown first and large, of every currency.
MAIN = (
    metrics.HUMAN_CLICKS,
    metrics.SIGNUPS,
    metrics.ORDERS,
    metrics.CONVERSION_RATE,
    metrics.REVENUE,
    metrics.COMMISSION,
)


class StatisticsForm(DaysForm):
    by = forms.ChoiceField(label=_("Group by"), choices=BY, required=False)


class StatisticsPage(AreaPage):
    template_name = "affiliates/area/statistics.html"
    title = _("Statistics")
    section = "statistics"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        with readable_faults():
            reading = read_statistics(self.affiliate, self.asked())
        if request.GET.get(FILE) == "csv":
            return statistics_file(statistics_data(self.affiliate, reading))
        data = whole_data(self.affiliate, reading)
        currencies = list(data["figures"]["amounts"])
        by = reading.by.value
        others = request.GET.copy()
        compared = _compared(reading, data)
        return self.page(
            data=data,
            by=dict(BY)[by],
            compared=compared,
            main=[
                comparison for comparison in compared if comparison["metric"] in MAIN
            ],
            rows=[_row(row, currencies) for row in _table(reading)],
            charts=charts_of(reading.span, reading.points, reading.earlier),
            filters=StatisticsForm({**reading.span._asdict(), "by": by}),
            query=others.urlencode(),
        )


def _table(reading: Found) -> Sequence[Point | Row]:
    return reading.points if isinstance(reading.by, Step) else reading.parts


def _row(part: Point | Row, currencies: Sequence[str]) -> dict[str, Any]:
    """A step or a part as the table shows it: a year has hundreds of them."""
    counts = part.statistics.counts
    return {
        "label": _label(part),
        "is_open": isinstance(part, Point) and part.is_open,
        "numbers": [column.of(counts) for column in COLUMNS],
        "earned": [_earned(part, code) for code in currencies],
    }


def _earned(part: Point | Row, currency: str) -> str:
    figures = part.statistics.in_currency(currency)
    return amount(str(value_of(metrics.COMMISSION, figures, currency)), currency)


def _label(part: Point | Row) -> str:
    if isinstance(part, Row):
        return part.label if part.key else gettext("Others and none")
    ends = dict.fromkeys([part.first, part.last])
    return " – ".join(day_text(day, gettext("j M Y")) for day in ends)


def _compared(reading: Found, data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each metric of the span beside the span before."""
    this, before = data["figures"], data["before"]["figures"]
    whole, earlier = sum_of(reading.points).counts, sum_of(reading.earlier).counts
    counts = [
        {"metric": count, "this": _text(count, whole), "before": _text(count, earlier)}
        for count in COUNTS
    ]
    amounts = [
        {
            "metric": amount,
            "currency": currency,
            "this": this["amounts"][currency][amount.name],
            "before": before["amounts"][currency][amount.name],
        }
        for currency in this["amounts"]
        for amount in AMOUNTS
    ]
    return counts + amounts


def _text(metric: Metric, figures: Figures) -> str | None:
    return None if metric.of(figures) is None else metric.text(figures)
