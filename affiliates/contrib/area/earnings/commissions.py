"""The affiliate's commissions: a list, and a page with the details of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.area.api.commissions import COMMISSIONS, SHARE, commission_data
from affiliates.contrib.area.api.lists import Listing
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.lists import ListPage, NumberedForm, choices


def has_taken_back(commissions: Iterable[Mapping[str, Any]]) -> bool:
    """Whether refunds took back anything of them."""
    return any(Decimal(commission["taken_back"]) for commission in commissions)


class CommissionsForm(NumberedForm):
    status = forms.ChoiceField(
        label=_("Status"),
        choices=choices(CommissionStatus, _("All")),
        required=False,
    )


class CommissionsPage(ListPage):
    template_name = "affiliates/area/commissions.html"
    title = _("Commissions")
    section = "commissions"
    listing = COMMISSIONS
    filters = CommissionsForm

    def rows(self, listing: Listing, **fixed: str) -> dict[str, Any]:
        page = super().rows(listing, **fixed)
        return {**page, "has_taken_back": has_taken_back(page["rows"])}

    def page(self, **context: Any) -> TemplateResponse:
        return super().page(statuses=CommissionStatus, **context)


class CommissionPage(AreaPage):
    template_name = "affiliates/area/commission.html"
    title = _("Commission")
    section = "commissions"

    def get(self, request: HttpRequest, commission_id: int) -> TemplateResponse:
        commission = commission_data(self.affiliate, commission_id)
        title = gettext("Commission %(number)s")
        if commission["kind"] == SHARE:
            title = gettext("Commission %(number)s for an affiliate you recruited")
        return self.page(
            commission=commission,
            left=_left(commission),
            title=title % {"number": commission["id"]},
            statuses=CommissionStatus,
        )


def _left(commission: Mapping[str, Any]) -> str:
    """The amount that refunds left; empty if they took nothing."""
    taken_back = Decimal(commission["taken_back"])
    return str(Decimal(commission["amount"]) + taken_back) if taken_back else ""
