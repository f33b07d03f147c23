"""The first page of the area: what was earned, and where to go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.api.http.requests import utc_now
from affiliates.contrib.area.account.base import ENUMS
from affiliates.contrib.area.account.payouts import with_debt
from affiliates.contrib.area.api.books import balances_data, waterfall_data
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.charts import charts_of
from affiliates.contrib.area.earnings.lists import DaysForm
from affiliates.contrib.area.earnings.results import compared
from affiliates.contrib.area.qr_codes import HAS_QR_CODES
from affiliates.contrib.statistics import metrics, selectors
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.types import (
    Span,
    Step,
    currency_to_show,
    sum_of,
)
from affiliates.ledger.rules import PostingKind
from affiliates.payouts.models import PayoutDestination
from affiliates.program.models import AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.visits.models import Click

# What newcomers do first, the page where it is done or seen, and the rows that show it.
FIRST_STEPS: Sequence[tuple[Promise, str, type[Any], dict[str, str]]] = (
    (_("Make a link"), "links", AffiliateLink, {}),
    (_("Get your first click"), "statistics", Click, {"bot_signs": ""}),
    (_("Get your first order"), "orders", OrderReferral, {}),
    (_("Choose where payouts go"), "destination", PayoutDestination, {}),
)
# Each of these steps shows that those before it were done, by another way.
IN_TURN = 3


# Of the chosen days beside as many before.
SHOWN = (
    metrics.HUMAN_CLICKS,
    metrics.SALES,
    metrics.CONVERSION_RATE,
    metrics.EPC,
)


class DashboardPage(AreaPage):
    template_name = "affiliates/area/dashboard.html"
    title = _("Overview")
    section = "dashboard"

    def get(self, request: HttpRequest) -> TemplateResponse:
        now = utc_now()
        waterfall = waterfall_data(self.affiliate, self.asked())
        brand = self.affiliate.brand
        span = Span(waterfall["first"], waterfall["last"])
        points, earlier = selectors.series_of(
            brand.pk,
            [span, span.before()],
            Step.DAY,
            affiliate_id=self.affiliate.pk,
            open_days=OpenDays(now=now, brands=[brand]),
        )
        this, before = sum_of(points), sum_of(earlier)
        currency = currency_to_show("", this, (this + before).currencies)
        # The commission, or the clicks before there is one.
        chart = next(charts_of(span, points, earlier, currency=currency), None)
        return self.page(
            balances=_with_money(map(with_debt, balances_data(self.affiliate))),
            waterfall=waterfall,
            filters=DaysForm({name: waterfall[name] for name in ("first", "last")}),
            enums=ENUMS,
            kinds=PostingKind,
            compared=compared(SHOWN, this, before, currency) if chart else [],
            chart=chart,
            first_steps=self._first_steps(),
            has_qr_codes=HAS_QR_CODES,
        )

    def _first_steps(self) -> list[dict[str, Any]]:
        """Only until all of them are done."""
        found = [
            model.objects.filter(affiliate=self.affiliate, **which).order_by().exists()
            for _title, _page, model, which in FIRST_STEPS
        ]
        steps = [
            {
                "title": title,
                "page": f"affiliates_area:{page}",
                "is_done": any(found[place : max(IN_TURN, place + 1)]),
            }
            for place, (title, page, *_rows) in enumerate(FIRST_STEPS)
        ]
        if self.affiliate.status == AffiliateStatus.PENDING:
            steps.insert(0, {"title": _("Wait for approval"), "is_done": False})
        return [] if all(step["is_done"] for step in steps) else steps


def _with_money(balances: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The currencies with any money; without any, the first that something was in."""
    every = list(balances)
    return [balance for balance in every if balance["moving"]] or every[:1]
