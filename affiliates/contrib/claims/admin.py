from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyAdmin, action, requires
from affiliates.admin_tools.columns import (
    client_link,
    coloured_column,
    column,
    moment,
    page_link,
    row_column,
)
from affiliates.admin_tools.confirmation import (
    JudgedOnce,
    Question,
    answer_of,
    by_reason,
    first_ids,
    list_rows,
    own_reason,
)
from affiliates.admin_tools.forms import reason_field
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.admin_tools.queues import Queue, QueueOrder
from affiliates.admin_tools.theme import register_on_host_site
from affiliates.contrib.claims import selectors, services
from affiliates.contrib.claims.models import MAX_NOTE, MissingSaleClaim
from affiliates.contrib.claims.rules import GRANTED, ClaimStatus
from affiliates.referrals.models import OrderReferral

STATUS_COLOURS = {
    ClaimStatus.OPEN: "warning",
    ClaimStatus.ANSWERED: "info",
    ClaimStatus.GRANTED: "success",
    ClaimStatus.DECLINED: "danger",
}


class AnswerForm(forms.Form):
    """The text that the affiliate reads."""

    title = "Decline this claim?"
    button = "Decline"
    effect = "Nothing changes but the claim: the affiliate reads your answer."

    answer = forms.CharField(
        max_length=MAX_NOTE,
        widget=widgets.Textarea,
        help_text="The affiliate reads this.",
    )

    def __init__(self, claim: MissingSaleClaim | None, data: Any = None) -> None:
        super().__init__(data)
        self.claim: Any = claim

    def decide(self, *, actor_id: Any) -> str:
        services.decline_claim(
            claim_id=self.claim.pk,
            answer=self.cleaned_data["answer"],
            actor_id=actor_id,
            now=timezone.now(),
        )
        return "The claim is declined."


class GrantForm(AnswerForm):
    """The order to give to the affiliate, and the reason."""

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
        found = selectors.suggested_orders(claim)
        number_invoices(found, "invoice_ref")
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
            orders = selectors.orders_named(named, brand_id=self.claim.brand_id)
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
class MissingSaleClaimAdmin(Queue, JudgedOnce, ReadOnlyAdmin):
    about = (
        "Sales that affiliates miss, those to be reviewed first. An order they had a "
        "part in was answered at once; what is open waits for you."
    )
    nothing_yet = (
        "A row appears when an affiliate claims a sale that it misses: in its area, or "
        "by the API."
    )
    list_display = (
        "claimed",
        "brand",
        "affiliate",
        "client_hint",
        "ordered_on",
        "coloured_status",
        "created",
    )
    judged_already = "Somebody has decided this claim already."
    queue = QueueOrder(
        field="status", waiting=tuple(services.UNDECIDED), since="created_at"
    )
    list_filter = (("created_at", DaysFilter), "status", "brand")
    list_select_related = ("affiliate", "brand")
    search_fields = (
        search.exactly("id", "order_hint", "client_hint"),
        search.affiliates(),
        search.named("referral", search.orders()),
    )
    search_parts = (search.containing("order_hint", "client_hint"),)
    search_help_text = "Order or invoice, the client's address or affiliate's code"
    actions: ClassVar = ("decline_selected",)
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
        ("Answer", {"fields": ("shown_answer", ("decider", "decided"))}),
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Open claims first: "open" sorts last among the statuses."""
        return ("-status", "-pk")

    def beside(self, row: MissingSaleClaim) -> dict[str, Any]:
        orders = selectors.suggested_orders(row)
        number_invoices(orders, "invoice_ref")
        shown = [(one, client_link(one.client)) for one in orders]
        return {"orders": shown, "claim": row}

    claimed = row_column(
        "Claimed", lambda row: row.order_hint or "No order named", ordering="order_hint"
    )
    coloured_status = coloured_column("status", "Status", STATUS_COLOURS)
    affiliate_link = column("affiliate", "Affiliate", show=page_link)
    # The id grows with time and has an index; the time has none.
    created = column("created_at", "Submitted", show=moment, ordering="id")
    shown_answer = row_column("Answer", selectors.answer_text)
    decider = column("decided_by", "Decided by")
    decided = column("decided_at", "Decided", show=moment)

    def is_open(self, row: MissingSaleClaim) -> bool:
        return row.status in services.UNDECIDED

    has_decide_permission = requires("affiliates_claims.decide_missingsaleclaim")
    # Granting assigns the order, so it needs that permission as well.
    has_grant_permission = requires(
        "affiliates_claims.decide_missingsaleclaim", "affiliates.assign_orderreferral"
    )

    @action(description="Grant", url_path="grant", permissions=["grant"])
    def grant(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, GrantForm)

    @action(description="Decline", url_path="decline", permissions=["decide"])
    def decline(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, AnswerForm)

    @action(description="Decline…", permissions=["decide"])
    def decline_selected(
        self, request: HttpRequest, queryset: QuerySet[MissingSaleClaim]
    ) -> HttpResponse:
        ids: Any = first_ids(queryset.filter(status__in=services.UNDECIDED))
        found = queryset.filter(pk__in=ids).select_related("affiliate")
        form = AnswerForm(None, answer_of(request))
        columns: dict[str, Callable[[Any], object]] = {
            "Claim": page_link,
            "Submitted": lambda claim: moment(claim.created_at),
            "Note": lambda claim: claim.note or "-",
            **own_reason(request, "Another answer"),
        }
        question = Question(
            title="Decline claims?",
            button=form.button,
            paragraphs=[
                "Nothing changes but the claims: each affiliate reads its answer."
            ],
            form=form,
            listing=lambda: list_rows(found.order_by("pk"), columns),
            nothing=self.judged_already,
            selected=ids,
        )

        def decline() -> str:
            given = by_reason(request, ids, form.cleaned_data["answer"])
            now = timezone.now()
            with transaction.atomic():
                for answer, claims in given.items():
                    for claim_id in claims:
                        services.decline_claim(
                            claim_id=claim_id,
                            answer=answer,
                            actor_id=request.user.pk,
                            now=now,
                        )
            return f"Claims declined: {len(ids)}."

        return self.ask_or_do(request, question, decline)

    def _decide(
        self, request: HttpRequest, object_id: str, form_class: type[AnswerForm]
    ) -> HttpResponse:
        claim = self.row_of(request, object_id)
        if not self.is_open(claim):
            return self.refuse(request, claim)
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
        f"Invoice {order.invoice_number}, converted "  # type: ignore[attr-defined] # asked for above
        f"{moment(order.converted_at)}, credited to {credited}"
    )


register_on_host_site()
