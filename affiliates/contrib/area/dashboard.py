"""The first page of the area: what was earned, and where to go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.api.http.requests import utc_now
from affiliates.contrib.area.api.books import DAYS_BY_DEFAULT, waterfall_data
from affiliates.contrib.area.api.payouts import balances_data
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.charts import charts_of
from affiliates.contrib.area.earnings.lists import DaysForm
from affiliates.contrib.statistics import selectors
from affiliates.contrib.statistics.reading import OpenDays
from affiliates.contrib.statistics.types import Span, Step
from affiliates.ledger.rules import Account, PostingKind
from affiliates.payouts.models import PayoutDestination
from affiliates.program.models import AffiliateLink
from affiliates.referrals.models import OrderReferral
from affiliates.visits.models import Click

# What is to be done first, the page where it is done or seen, and whose rows show that
# it is done.
FIRST_STEPS: Sequence[tuple[Promise, str, type[Any]]] = (
    (_("Make a link"), "links", AffiliateLink),
    (_("Say where payouts go"), "destination", PayoutDestination),
    (_("Your first click"), "statistics", Click),
    (_("Your first order"), "orders", OrderReferral),
)


class DashboardPage(AreaPage):
    template_name = "affiliates/area/dashboard.html"
    title = _("Overview")
    section = "dashboard"

    def get(self, request: HttpRequest) -> TemplateResponse:
        now = utc_now()
        waterfall = waterfall_data(self.affiliate, self.asked())
        brand = self.affiliate.brand
        today = now.astimezone(brand.zone()).date()
        month = Span.last_days(DAYS_BY_DEFAULT, until=today)
        points, earlier = selectors.series_of(
            brand.pk,
            [month, month.before()],
            Step.DAY,
            affiliate_id=self.affiliate.pk,
            open_days=OpenDays(now=now, brand=brand),
        )
        return self.page(
            balances=balances_data(self.affiliate),
            waterfall=waterfall,
            filters=DaysForm({one: waterfall[one] for one in ("first", "last")}),
            accounts=Account,
            kinds=PostingKind,
            charts=charts_of(month, points, earlier),
            first_steps=self._first_steps(),
        )

    def _first_steps(self) -> list[dict[str, Any]]:
        """Only until all of them are done."""
        steps = [
            {
                "title": title,
                "page": f"affiliates_area:{page}",
                "is_done": model.objects.filter(affiliate=self.affiliate)
                .order_by()
                .exists(),
            }
            for title, page, model in FIRST_STEPS
        ]
        return [] if all(one["is_done"] for one in steps) else steps
