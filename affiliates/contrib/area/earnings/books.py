"""The affiliate's own books: every movement, and what was on each account on any day."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.api.books import POSTINGS, SHOWN, balances_on_data
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.lists import (
    DaysForm,
    ListPage,
    choices,
    day_field,
)
from affiliates.ledger.rules import Account, PostingKind


class PostingsForm(DaysForm):
    account = forms.ChoiceField(
        label=_("Account"), choices=choices(SHOWN, _("All")), required=False
    )
    kind = forms.ChoiceField(
        label=_("What happened"),
        choices=choices(PostingKind, _("Everything")),
        required=False,
    )


class BalancesForm(forms.Form):
    day = day_field(_("At the end of the day"))


class PostingsPage(ListPage):
    template_name = "affiliates/area/postings.html"
    title = _("Movements")
    section = "balances"
    listing = POSTINGS
    filters = PostingsForm

    def page(self, **context: Any) -> TemplateResponse:
        return super().page(accounts=Account, kinds=PostingKind, **context)


class BalancesPage(AreaPage):
    template_name = "affiliates/area/balances.html"
    title = _("Balances")
    section = "balances"

    def get(self, request: HttpRequest) -> TemplateResponse:
        balances = balances_on_data(self.affiliate, self.asked())
        return self.page(
            **balances,
            found={"rows": balances["balances"]},
            filters=BalancesForm({"day": balances["day"]}),
            accounts=SHOWN,
            names=Account,
        )
