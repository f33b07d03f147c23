from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.formats import date_format

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyAdmin, action, display
from affiliates.admin_tools.columns import client_link, moment, row_link
from affiliates.admin_tools.confirmation import AsksFirst, Question, answer_of
from affiliates.admin_tools.forms import reason_field
from affiliates.claims import services
from affiliates.claims.models import MAX_NOTE, MissingSaleClaim
from affiliates.claims.rules import GRANTED, ClaimStatus
from affiliates.claims.selectors import orders_named, suggested_orders
from affiliates.referrals.models import OrderReferral

DECIDED_ALREADY = "Somebody has decided this claim already."
STATUS_COLOURS = {
    ClaimStatus.OPEN: "warning",
    ClaimStatus.ANSWERED: "info",
    ClaimStatus.GRANTED: "success",
    ClaimStatus.DECLINED: "danger",
}


class AnswerForm(forms.Form):
    """What the affiliate is to read."""

    title = "Decline this claim?"
    button = "Decline"
    effect = "Nothing changes but the claim: the affiliate reads your answer."

    answer = forms.CharField(
        max_length=MAX_NOTE,
        widget=widgets.Textarea,
        help_text="The affiliate reads this.",
    )

    def __init__(self, claim: MissingSaleClaim, data: Any = None) -> None:
        super().__init__(data)
        self.claim = claim

    def decide(self, *, actor_id: Any) -> str:
        services.decline_claim(
            claim_id=self.claim.pk,
            answer=self.cleaned_data["answer"],
            actor_id=actor_id,
            now=timezone.now(),
        )
        return "The claim is declined."


class GrantForm(AnswerForm):
    """Which order the affiliate gets, and why."""

    title = "Grant this claim?"
    button = "Grant"
    effect = (
        "The order goes to the affiliate. A commission it earned somebody else is "
        "rejected, and every paid invoice of the order earns this affiliate one."
    )
    field_order = ("order", "other_order", "reason", "answer")

    order = forms.ChoiceField(required=False, widget=widgets.RadioSelect, label="Order")
    other_order = forms.CharField(
        required=False,
        widget=widgets.TextInput,
        label="Another order or invoice",
        help_text="Its reference, where none of those above is the one.",
    )
    reason = reason_field(
        "Kept with the order's decision; the affiliate does not read it."
    )

    def __init__(self, claim: MissingSaleClaim, data: Any = None) -> None:
        super().__init__(claim, data)
        found = suggested_orders(claim)
        self.fields["order"].choices = [  # type: ignore[attr-defined] # a ChoiceField's
            (str(order.pk), _in_words(order)) for order in found
        ]
        self.fields["answer"].required = False
        self.fields["answer"].help_text = f"The affiliate reads this. Empty: {GRANTED}"
        if not found:
            del self.fields["order"]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        named = values.get("other_order", "").strip()
        if named:
            orders = orders_named(named, brand_id=self.claim.brand_id)
            if len(orders) != 1:
                fault = "One order of this brand must have this reference."
                self.add_error("other_order", fault)
            else:
                values["order"] = str(orders[0].pk)
        elif not values.get("order"):
            self.add_error("other_order", "Choose an order, or enter its reference.")
        return values

    def decide(self, *, actor_id: Any) -> str:
        services.grant_claim(
            claim_id=self.claim.pk,
            referral_id=int(self.cleaned_data["order"]),
            reason=self.cleaned_data["reason"],
            answer=self.cleaned_data["answer"],
            actor_id=actor_id,
            now=timezone.now(),
        )
        return f"The claim is granted: the order goes to {self.claim.affiliate}."


@admin.register(MissingSaleClaim)
class MissingSaleClaimAdmin(AsksFirst, ReadOnlyAdmin):
    about = (
        "Sales that affiliates miss, those to be reviewed first. An order they had a "
        "part in was answered at once; what is open waits for you."
    )
    list_display = (
        "claimed",
        "affiliate",
        "client_hint",
        "ordered_on",
        "coloured_status",
        "created",
    )
    list_filter = ("status", "brand")
    list_select_related = ("affiliate",)
    search_fields = ("order_hint", "client_hint", "affiliate__code")
    search_help_text = "Order or invoice, the client's address or affiliate's code"
    actions_detail: ClassVar = ("grant", "decline")
    change_form_outer_before_template = "affiliates/admin/claim.html"
    fieldsets = (
        (
            "Claim",
            {
                "fields": (
                    ("affiliate_link", "status"),
                    ("order_hint", "client_hint"),
                    ("ordered_on", "created"),
                    "note",
                )
            },
        ),
        ("Answer", {"fields": ("answer", ("decider", "decided"))}),
    )
    readonly_fields = (
        "affiliate_link",
        "created",
        "decider",
        "decided",
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Open ones first: the word is the last of the statuses."""
        return ("-status", "-pk")

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        claim = self.get_object(request, object_id)
        if claim is not None and self.has_view_permission(request, claim):
            orders = [(one, client_link(one.client)) for one in suggested_orders(claim)]
            extra_context = {**(extra_context or {}), "orders": orders, "claim": claim}
        page: HttpResponse = super().change_view(
            request, object_id, form_url, extra_context
        )
        return page

    @admin.display(description="Claimed", ordering="order_hint")
    def claimed(self, claim: MissingSaleClaim) -> str:
        return claim.order_hint or "No order named"

    @display(description="Status", ordering="status", label=STATUS_COLOURS)
    def coloured_status(self, claim: MissingSaleClaim) -> tuple[str, str]:
        return claim.status, ClaimStatus(claim.status).label

    @admin.display(description="Affiliate")
    def affiliate_link(self, claim: MissingSaleClaim) -> str:
        return row_link("affiliate", claim.affiliate_id, claim.affiliate.code)

    # The id grows with time and has an index; the time has none.
    @admin.display(description="Submitted", ordering="id")
    def created(self, claim: MissingSaleClaim) -> str:
        return moment(claim.created_at)

    @admin.display(description="Decided by")
    def decider(self, claim: MissingSaleClaim) -> str:
        return "-" if claim.decided_by is None else str(claim.decided_by)

    @admin.display(description="Decided")
    def decided(self, claim: MissingSaleClaim) -> str:
        return moment(claim.decided_at)

    def get_actions_detail(self, request: HttpRequest, object_id: str) -> Any:
        """A permission that refuses who comes second could not tell them why."""
        claim = self.get_object(request, object_id)
        if claim is None or claim.status not in services.UNDECIDED:
            return []
        return super().get_actions_detail(request, object_id)

    def has_decide_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return bool(request.user.has_perm("affiliates.change_missingsaleclaim"))

    def has_grant_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        """To grant is to assign the order, so it takes the right to that as well."""
        may_assign = request.user.has_perm("affiliates.add_decisionoverride")
        return may_assign and self.has_decide_permission(request, object_id)

    @action(description="Grant", url_path="grant", permissions=["grant"])
    def grant(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, GrantForm)

    @action(description="Decline", url_path="decline", permissions=["decide"])
    def decline(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, AnswerForm)

    def _decide(
        self, request: HttpRequest, object_id: str, form_class: type[AnswerForm]
    ) -> HttpResponse:
        claim = self.row_of(request, object_id)
        if claim.status not in services.UNDECIDED:
            self.message_user(request, DECIDED_ALREADY, messages.WARNING)
            return HttpResponseRedirect(self.page_of(claim))
        form = form_class(claim, answer_of(request))
        question = Question(
            title=form.title,
            button=form.button,
            paragraphs=[*_claimed(claim), form.effect],
            form=form,
            row=claim,
        )
        return self.ask_or_do(
            request, question, lambda: form.decide(actor_id=request.user.pk)
        )


def _claimed(claim: MissingSaleClaim) -> list[str]:
    client = f" of {claim.client_hint}" if claim.client_hint else ""
    day = (
        f", about {date_format(claim.ordered_on, 'j M Y')}" if claim.ordered_on else ""
    )
    what = f"{claim.affiliate} claims {claim.order_hint or 'an order'}{client}{day}."
    return [what, f"“{claim.note}”"] if claim.note else [what]


def _in_words(order: OrderReferral) -> str:
    credited = "nobody" if order.affiliate is None else order.affiliate.code
    return (
        f"{order.order_ref}, invoice {order.invoice_ref}, converted "
        f"{moment(order.converted_at)}, credited to {credited}"
    )
