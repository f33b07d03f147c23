"""Gives an order to another affiliate: asks who and why, and previews the effects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
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
    code = forms.CharField(
        label="Affiliate's code",
        max_length=32,
        required=False,
        widget=widgets.TextInput,
        help_text="Of an active affiliate of this brand. Empty: the order goes to nobody.",
    )
    reason = reason_field("Kept with the order, for later questions.")

    def __init__(self, *args: Any, referral: OrderReferral, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.referral = referral
        self.affiliate: Affiliate | None = None

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"].strip().lower()
        if not code:
            return code
        self.affiliate = Affiliate.objects.filter(
            brand_id=self.referral.brand_id,
            code=code,
            status=AffiliateStatus.ACTIVE,
        ).first()
        if self.affiliate is None:
            raise ValidationError("No active affiliate of this brand has this code.")
        return code


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
        form = AssignForm(request.POST or None, referral=referral)
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
        return self.ask_or_do(request, question, lambda: self._assign(request, form))

    def _assign(self, request: HttpRequest, form: AssignForm) -> str:
        override_attribution(
            referral_id=form.referral.pk,
            affiliate_id=None if form.affiliate is None else form.affiliate.pk,
            reason=form.cleaned_data["reason"],
            actor_id=request.user.pk,
            now=timezone.now(),
        )
        who = form.affiliate or "nobody"
        return f"Order {form.referral.order_ref} was given to {who}."


def _last(question: Question, form: AssignForm, referral: OrderReferral) -> Question:
    follows = foresee_assignment(referral, form.affiliate)
    return replace(
        question,
        button="Assign",
        facts={
            **question.facts,
            "Credited then": form.affiliate.code if form.affiliate else "Nobody",
            "Reason": form.cleaned_data["reason"],
            "What follows": format_html_join(
                "", "<p>{}</p>", ((sentence,) for sentence in follows)
            ),
        },
        is_last=True,
    )
