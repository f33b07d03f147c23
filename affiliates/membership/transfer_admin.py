"""Gives what an affiliate has to another: asked for, looked at once more, then done."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.columns import money_text
from affiliates.admin_tools.confirmation import AsksFirst, Question
from affiliates.admin_tools.forms import hidden, reason_field
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.membership.suspension_admin import what_suspending_means
from affiliates.membership.transfers import (
    Transfer,
    TransferPart,
    clients_to_give,
    payable_of,
    transfer,
)
from affiliates.payouts.models import OPEN_STATUSES, Payout
from affiliates.plans.models.coupon import CouponCode
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import owned_by
from affiliates.referrals.models import ClientReferral, OrderReferral


class TransferForm(forms.Form):
    target = forms.ModelChoiceField(
        Affiliate.objects.filter(status=AffiliateStatus.ACTIVE),
        label="To the affiliate",
        help_text="Another active affiliate of this brand: type a part of the code, the "
        "name or the e-mail address.",
        error_messages={"invalid_choice": "Choose an active affiliate of this brand."},
    )
    parts = forms.MultipleChoiceField(
        label="What",
        choices=TransferPart.choices,
        initial=list(TransferPart),
        widget=widgets.CheckboxSelectMultiple,
    )
    merges = forms.BooleanField(
        label="Merge this one into the other",
        required=False,
        widget=widgets.Checkbox,
        help_text="It is suspended, and its code, links and earlier clicks lead to the other.",
    )
    reason = reason_field("Kept in both histories.")
    # Made with the page: sending the page twice does it once.
    key = forms.UUIDField(initial=uuid4, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, source: Affiliate, site: AdminSite, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.source = source
        field: Any = self.fields["target"]
        field.queryset = field.queryset.filter(brand_id=source.brand_id).exclude(
            pk=source.pk
        )
        field.widget = widgets.Autocomplete(
            Affiliate._meta.get_field("merged_into"), site, choices=field.choices
        )


class TransfersAll(AsksFirst):
    """The action on the page of an affiliate."""

    has_transfer_permission = requires("affiliates.transfer_affiliate")

    @action(
        description="Transfer or merge…", url_path="transfer", permissions=["transfer"]
    )
    def transfer(self, request: HttpRequest, object_id: str) -> HttpResponse:
        source = self.row_of(request, object_id)
        merged = source.merged_into
        initial = {"target": merged} if merged else {}
        form = TransferForm(
            request.POST or None, source=source, site=self.admin_site, initial=initial
        )
        question = Question(
            title=f"Give what {source} has to another affiliate",
            button="Continue",
            facts=_of(source),
            form=form,
            row=source,
            is_last=False,
        )
        if not form.is_valid():
            return self.ask(request, question, form)
        if "confirmed" not in request.POST:
            return self.ask(request, _last(question, form), hidden(form))
        return self.ask_or_do(request, question, lambda: self._transfer(request, form))

    def _transfer(self, request: HttpRequest, form: TransferForm) -> str:
        data = form.cleaned_data
        done = transfer(
            Transfer(
                source_id=form.source.pk,
                target_id=data["target"].pk,
                parts=[TransferPart(part) for part in data["parts"]],
                merges=data["merges"],
                reason=data["reason"],
                key=data["key"],
            ),
            actor_id=request.user.pk,
            now=timezone.now(),
        )
        return f"Done: {done}."


def _of(source: Affiliate) -> dict[str, object]:
    """The affiliate's rows that could move, and those that never move."""
    open_payouts = Payout.objects.filter(affiliate=source, status__in=OPEN_STATUSES)
    waiting = (CommissionStatus.PENDING, CommissionStatus.HELD)
    pending = Commission.objects.filter(affiliate=source, status__in=waiting)
    orders = OrderReferral.objects.filter(affiliate=source).count()
    owned = owned_by(source.pk)
    return {
        "Clients": ClientReferral.objects.filter(owned).count(),
        "Links": AffiliateLink.objects.filter(owned).count(),
        "Coupon codes": CouponCode.objects.filter(owned).count(),
        "Payable": _money(payable_of(source)),
        "Stays": f"Orders decided so far ({orders}) and what their renewals earn; "
        f"commissions that are pending or held ({pending.count()}); open payouts "
        f"({open_payouts.count()}); unless merged, visits by the code itself.",
    }


def _last(question: Question, form: TransferForm) -> Question:
    data = form.cleaned_data
    target = data["target"]
    labels = dict(TransferPart.choices)
    facts = {
        **question.facts,
        "Clients to give": clients_to_give(form.source, target).count(),
        "To": target.code,
        "What": "; ".join(labels[part] for part in data["parts"]),
        "Reason": data["reason"],
    }
    if data["merges"]:
        facts["Afterwards"] = " ".join(
            [
                "Suspended. Its code, links and earlier clicks credit the other from "
                "then on. Renewals of its orders go on earning in its own books: "
                "transfer again what they make payable.",
                *what_suspending_means([form.source.pk]),
            ]
        )
    return replace(question, button="Give", facts=facts, is_last=True)


def _money(amounts: dict[str, int]) -> str:
    return (
        ", ".join(money_text(amount, code) for code, amount in amounts.items()) or "-"
    )
