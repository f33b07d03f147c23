"""Leaving the program: what becomes of each balance, and what is still paid after it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.account.base import AccountPage, GuardedPage
from affiliates.contrib.area.api.account.profile import departure_data
from affiliates.contrib.area.api.books import balances_data
from affiliates.contrib.area.api.payouts import destination_data
from affiliates.contrib.area.base import back_to, done_by
from affiliates.membership.departures import leave
from affiliates.membership.rules import REFUSALS, BalanceEnd

GIVES_UP = _("Yes, I leave the program and give up my balance")
PARTS = ("pending", "held", "payable", "being_paid")


class BalanceForm(forms.Form):
    """Asks whether balances that would be paid out are given up instead."""

    balance = forms.ChoiceField(
        label=_("Your balance"),
        choices=[
            (BalanceEnd.PAID, _("Pay it out to me")),
            (BalanceEnd.GIVEN_UP, _("I give it up: it is not paid out")),
        ],
        initial=BalanceEnd.PAID,
        widget=forms.RadioSelect,
        required=False,
    )

    @property
    def gives_up(self) -> bool:
        return self.is_valid() and self.cleaned_data["balance"] == BalanceEnd.GIVEN_UP


class ConfirmForm(forms.Form):
    is_confirmed = forms.BooleanField(label=_("Yes, I leave the program"))


def _shown(balance: Mapping[str, Any]) -> dict[str, Any]:
    """The balance with the parts that have something, and a debt as a positive number."""
    total = Decimal(balance["total"])
    return {
        **balance,
        "parts": {name: balance[name] for name in PARTS if Decimal(balance[name])},
        "debt": str(-total) if total < 0 else "",
    }


class LeavingPage(AccountPage):
    section = "leave"
    title = _("Leave the program")

    def leaving(self, *, gives_up: bool = False) -> dict[str, Any]:
        data = departure_data(self.affiliate, gives_up=gives_up)
        balances = [_shown(balance) for balance in data["balances"]]
        return {
            **data,
            "refusal": data["refusal"] and gettext(REFUSALS[data["refusal"]]),
            "balances": balances,
            "ends": BalanceEnd,
            "can_choose": any(
                balance["end"] == BalanceEnd.PAID for balance in balances
            ),
        }


class LeavePage(LeavingPage):
    template_name = "affiliates/area/leave.html"
    is_shown_in_looks = True

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if self.affiliate.has_left:
            self.template_name = "affiliates/area/left.html"  # type: ignore[misc] # of this answer
            destination = None if self.look else destination_data(self.affiliate)
            offers = {
                balance["currency"]: balance["payout"]
                for balance in balances_data(self.affiliate)
            }
            shown = self.leaving()
            for balance in shown["balances"]:
                balance["payout"] = offers[balance["currency"]]
            return self.page(destination=destination, **shown)
        return self.page(form=BalanceForm(), **self.leaving())


class LeaveConfirmPage(GuardedPage, LeavingPage):
    """Asks once more, with what the affiliate has chosen in the address."""

    template_name = "affiliates/area/leave_confirm.html"
    title = _("Leave the program now?")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if self.affiliate.has_left:
            return back_to("leave")
        return self._asked(ConfirmForm())

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = ConfirmForm(request.POST)
        if done_by(form, lambda values: self._leave()):
            return back_to("leave")
        return self._asked(form, status=400)

    @property
    def _gives_up(self) -> bool:
        return BalanceForm(self.request.GET).gives_up

    def _leave(self) -> Any:
        return leave(
            affiliate_id=self.affiliate.pk, gives_up=self._gives_up, now=timezone.now()
        )

    def _asked(self, form: forms.Form, *, status: int = 200) -> HttpResponseBase:
        shown = self.leaving(gives_up=self._gives_up)
        if any(balance["end"] == BalanceEnd.GIVEN_UP for balance in shown["balances"]):
            form.fields["is_confirmed"].label = GIVES_UP
        return self.page(form=form, status=status, **shown)
