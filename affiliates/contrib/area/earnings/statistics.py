"""Any span of days beside as many before it: by days, or by where it came from.

Amounts are shown in one currency at a time.
"""

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
    BY,
    SHOWN,
    Found,
    figures_data,
    name_of,
    read_statistics,
    statistics_data,
    statistics_file,
    whole_data,
)
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.charts import charts_of
from affiliates.contrib.area.earnings.lists import FILE, DaysForm
from affiliates.contrib.area.earnings.results import COLUMNS, compared
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.drawing import step_text
from affiliates.contrib.statistics.types import (
    Point,
    Row,
    Statistics,
    Step,
    currency_to_show,
    sum_of,
)

# Shown first and large.
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

    def __init__(self, data: Mapping[str, Any], currencies: Sequence[str]) -> None:
        super().__init__(data)
        if currencies[1:]:
            self.fields["currency"] = forms.ChoiceField(
                label=_("Currency"), choices=[(code, code) for code in currencies]
            )


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
        this, before = sum_of(reading.points), sum_of(reading.earlier)
        currency = currency_to_show(request.GET.get("currency", ""), this, currencies)
        by = reading.by.value
        step = reading.by if isinstance(reading.by, Step) else Step.DAY
        shown = {**reading.span._asdict(), "by": by, "currency": currency}
        return self.page(
            data=data,
            by=dict(BY)[by],
            compared=compared(SHOWN, this, before, currency),
            main=compared(MAIN, this, before, currency),
            columns=COLUMNS,
            rows=[_row(row, step, currency) for row in _table(reading)],
            total=_figures(this, currency),
            charts=list(
                charts_of(
                    reading.span,
                    reading.points,
                    reading.earlier,
                    by=step,
                    currency=currency,
                )
            ),
            filters=StatisticsForm(shown, currencies),
            query=request.GET.urlencode(),
        )


def _table(reading: Found) -> Sequence[Point | Row]:
    """Steps newest first, or parts."""
    return reading.points[::-1] if isinstance(reading.by, Step) else reading.parts


def _row(part: Point | Row, step: Step, currency: str) -> dict[str, Any]:
    """A step or a part as the table shows it: a year has hundreds of them."""
    figures = _figures(part.statistics, currency)
    if isinstance(part, Row):
        link_id = part.key if isinstance(part.key, int) else None
        return {"label": name_of(part), "link_id": link_id, "figures": figures}
    label = step_text(part, step, gettext("j M Y"))
    return {"label": label, "is_open": part.is_open, "figures": figures}


def _figures(statistics: Statistics, currency: str) -> dict[str, Any]:
    return figures_data(statistics, [currency] if currency else [], COLUMNS)
