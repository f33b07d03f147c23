"""The affiliate's coupon codes, and what came of each."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.api.promotion.coupons import COUPONS
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.results import OF_COUPONS


class CouponsPage(AreaPage):
    template_name = "affiliates/area/coupons.html"
    title = _("Coupons")
    section = "coupons"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(found=self.rows(COUPONS), columns=OF_COUPONS)
