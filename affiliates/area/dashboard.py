"""The first page of the area: what was earned, and where to go on."""

from __future__ import annotations

from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from affiliates.api.affiliate.payouts import balances_data
from affiliates.area.base import AreaPage


class DashboardPage(AreaPage):
    template_name = "affiliates/area/dashboard.html"
    title = _("Overview")
    section = "dashboard"

    def get(self, request: HttpRequest) -> TemplateResponse:
        return self.page(balances=balances_data(self.affiliate))
