"""Gives an order to another affiliate: asks who and why, and previews the effects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html_join

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.confirmation import AsksFirst, Question
from affiliates.admin_tools.forms import hidden, reason_field
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.assignment_preview import foresee_assignment
from affiliates.settlement.services import override_attribution


class AssignForm(forms.Form):
    affiliate = forms.ModelChoiceField(
        Affiliate.objects.filter(status=AffiliateStatus.ACTIVE),
        label="To the affiliate",
        required=False,
        help_text="An active affiliate of this brand: type a part of the code, the name or "
        "the e-mail address. Empty: the order goes to nobody.",
        error_messages={"invalid_choice": "Choose an active affiliate of this brand."},
    )
    reason = reason_field("Kept with the order, for later questions.")

    def __init__(
        self, *args: Any, referral: OrderReferral, site: AdminSite, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["affiliate"]
        field.queryset = field.queryset.filter(brand_id=referral.brand_id)
        field.widget = widgets.Autocomplete(
            Affiliate._meta.get_field("merged_into"), site, choices=field.choices
        )


class AssignPage(AsksFirst):
    """The action on the page of an order: asks, previews the effects, then does it."""

    actions_detail: ClassVar = ("assign",)

    has_assign_permission = requires("affiliates.assign_orderreferral")

    @action(
        description="Assign to an affiliate…",
        url_path="assign",
        permissions=["assign"],
    )
    def assign(self, request: HttpRequest, object_id: str) -> HttpResponse:
        referral = self.row_of(request, object_id)
        form = AssignForm(request.POST or None, referral=referral, site=self.admin_site)
        facts = {
            "Order": f"{referral.order_ref}, invoice {referral.invoice_ref}",
            "Credited now": referral.affiliate.code if referral.affiliate else "Nobody",
        }
        question = Question(
            title=f"Assign order {referral.order_ref}",
            button="Continue",
            facts=facts,
            form=form,
            row=referral,
            is_last=False,
        )
        if not form.is_valid():
            return self.ask(request, question, form)
        if "confirmed" not in request.POST:
            return self.ask(request, _last(question, form, referral), hidden(form))
        return self.ask_or_do(
            request, question, lambda: self._assign(request, referral, form)
        )

    def _assign(
        self, request: HttpRequest, referral: OrderReferral, form: AssignForm
    ) -> str:
        chosen: Affiliate | None = form.cleaned_data["affiliate"]
        override_attribution(
            referral_id=referral.pk,
            affiliate_id=None if chosen is None else chosen.pk,
            reason=form.cleaned_data["reason"],
            actor_id=request.user.pk,
            now=timezone.now(),
        )
        return f"Order {referral.order_ref} was given to {chosen or 'nobody'}."


def _last(question: Question, form: AssignForm, referral: OrderReferral) -> Question:
    chosen: Affiliate | None = form.cleaned_data["affiliate"]
    follows = foresee_assignment(referral, chosen)
    return replace(
        question,
        button="Assign",
        facts={
            **question.facts,
            "Credited then": chosen.code if chosen else "Nobody",
            "Reason": form.cleaned_data["reason"],
            "What follows": format_html_join(
                "", "<p>{}</p>", ((sentence,) for sentence in follows)
            ),
        },
        is_last=True,
    )
