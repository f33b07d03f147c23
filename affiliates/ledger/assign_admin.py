"""Giving an order to another affiliate: who, why, and a look at what follows."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import action
from affiliates.errors import AffiliatesError
from affiliates.ledger.assignment_preview import foresee_assignment
from affiliates.ledger.services import override_attribution
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral

PAGE = "affiliates/admin/assign_order.html"
MAX_REASON = 255


class AssignForm(forms.Form):
    code = forms.CharField(
        label="Affiliate's code",
        max_length=32,
        required=False,
        widget=widgets.TextInput,
        help_text="Of an active affiliate of this brand. Empty: the order goes to nobody.",
    )
    reason = forms.CharField(
        max_length=MAX_REASON,
        widget=widgets.TextInput,
        help_text="Kept with the order, for whoever asks later.",
    )

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
            status=AffiliateStatus.ACTIVE.value,
        ).first()
        if self.affiliate is None:
            raise ValidationError("No active affiliate of this brand has this code.")
        return code


class AssignPage:
    """The action on the page of an order. Asks, shows what follows, then does it."""

    actions_detail: ClassVar = ("assign",)

    def has_assign_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return bool(request.user.has_perm("affiliates.add_decisionoverride"))

    @action(
        description="Assign to an affiliate…",
        url_path="assign",
        permissions=["assign"],
    )
    def assign(self, request: HttpRequest, object_id: str) -> HttpResponse:
        page: Any = self
        referral = page.get_object(request, object_id)
        if referral is None:
            raise Http404
        is_sent = request.method == "POST"
        form = AssignForm(request.POST if is_sent else None, referral=referral)
        is_valid = is_sent and form.is_valid()
        if is_valid and "confirmed" in request.POST:
            refusal = self._assign(request, referral, form)
            if refusal is None:
                story = reverse(
                    "admin:affiliates_orderreferral_change", args=[referral.pk]
                )
                return HttpResponseRedirect(story)
            form.add_error(None, refusal)
            is_valid = False
        context = {
            **page.admin_site.each_context(request),
            "title": f"Assign order {referral.order_ref}",
            "opts": page.opts,
            "form": form,
            "referral": referral,
            "is_question": is_valid,
            "follows": foresee_assignment(referral, form.affiliate) if is_valid else [],
        }
        return TemplateResponse(request, PAGE, context)

    def _assign(
        self, request: HttpRequest, referral: OrderReferral, form: AssignForm
    ) -> str | None:
        """Why it was refused, or None."""
        page: Any = self
        try:
            override_attribution(
                referral_id=referral.pk,
                affiliate_id=None if form.affiliate is None else form.affiliate.pk,
                reason=form.cleaned_data["reason"],
                actor_id=request.user.pk,
                now=timezone.now(),
            )
        except AffiliatesError as refusal:
            return str(refusal)
        who = form.affiliate or "nobody"
        page.message_user(request, f"Order {referral.order_ref} was given to {who}.")
        return None
