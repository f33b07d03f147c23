from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyAdmin, requires
from affiliates.admin_tools.columns import (
    client_link,
    coloured_column,
    column,
    moment,
    page_link,
    row_column,
)
from affiliates.admin_tools.confirmation import Listing, list_rows
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision, already
from affiliates.admin_tools.forms import reason_field
from affiliates.admin_tools.heads import HasHead, Head
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.admin_tools.lists.queues import Queue, QueueOrder
from affiliates.admin_tools.theme import register_page
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
DECIDED = "These claims are decided already."


class AnswerForm(forms.Form):
    """The text that the affiliate reads."""

    answer = forms.CharField(
        max_length=MAX_NOTE,
        widget=widgets.Textarea,
        help_text="The affiliate reads this.",
    )


class GrantForm(AnswerForm):
    """The order to give to the affiliate, and the reason."""

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

    def __init__(self, data: Any, *, claim: MissingSaleClaim) -> None:
        super().__init__(data)
        self.claim = claim
        orders = selectors.suggested_orders(claim)
        number_invoices(orders, "invoice_ref")
        self.fields["order"].choices = [  # type: ignore[attr-defined] # a ChoiceField's
            (str(order.pk), _in_words(order)) for order in orders
        ]
        self.fields["answer"].required = False
        self.fields["answer"].help_text = f"The affiliate reads this. Empty: {GRANTED}"
        if not orders:
            del self.fields["order"]
            self.fields["other_order"].required = True

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
        elif "order" in self.fields and not values.get("order"):
            self.add_error("other_order", "Choose an order, or enter its reference.")
        return values


def _claimed_order(claim: MissingSaleClaim) -> str:
    return claim.order_hint or "No order named"


def _is_open(claim: MissingSaleClaim) -> bool:
    return claim.status in services.UNDECIDED


def _claimed(claim: MissingSaleClaim) -> list[str]:
    client = f" of {claim.client_hint}" if claim.client_hint else ""
    day = (
        f", about {date_format(claim.ordered_on, 'j M Y')}" if claim.ordered_on else ""
    )
    what = f"{claim.affiliate} claims {claim.order_hint or 'an order'}{client}{day}."
    return [what, f"“{claim.note}”"] if claim.note else [what]


def _grant(chosen: Chosen, answers: Mapping[str, Any]) -> str:
    services.grant_claim(
        claim_id=chosen.row.pk,
        referral_id=int(answers["order"]),
        reason=answers["reason"],
        answer=answers["answer"],
        actor_id=chosen.actor_id,
        now=timezone.now(),
    )
    return f"The claim is granted: the order goes to {chosen.row.affiliate}."


def _decline(chosen: Chosen, answers: Mapping[str, Any]) -> str:
    now = timezone.now()
    with transaction.atomic():
        for answer, ids in chosen.by_reason(answers["answer"]).items():
            for claim_id in ids:
                services.decline_claim(
                    claim_id=claim_id, answer=answer, actor_id=chosen.actor_id, now=now
                )
    if chosen.row is not None:
        return "The claim is declined."
    return f"Claims declined: {len(chosen.ids)}."


def _to_decline(chosen: Chosen) -> dict[str, Any]:
    if chosen.row is None:
        return {}
    effect = "Nothing changes but the claim: the affiliate reads your answer."
    paragraphs = [*_claimed(chosen.row), effect]
    return {"paragraphs": paragraphs}


def _listing(chosen: Chosen) -> Listing | None:
    if chosen.row is not None:
        return None
    return list_rows(
        chosen.rows.select_related("affiliate").order_by("pk"),
        {
            "Claim": page_link,
            "Submitted": lambda claim: moment(claim.created_at),
            "Note": lambda claim: claim.note or "-",
            **chosen.own_reason("Another answer"),
        },
    )


GRANT = StaffDecision(
    name="grant",
    permission="grant",
    title="Grant this claim?",
    button="Grant",
    details=lambda chosen: {
        "paragraphs": [
            *_claimed(chosen.row),
            "The order goes to the affiliate. A commission it earned somebody else is "
            "rejected, and every paid invoice of the order earns this affiliate one.",
        ]
    },
    form=lambda chosen: GrantForm(chosen.data, claim=chosen.row),
    is_open=_is_open,
    is_late=lambda claim: already(claim, ClaimStatus(claim.status), claim.decided_by),
    write=_grant,
)
DECLINE = StaffDecision(
    name="decline",
    permission="decide",
    title="Decline {rows}?",
    button="Decline",
    paragraphs=["Nothing changes but the claims: each affiliate reads its answer."],
    details=_to_decline,
    form=lambda chosen: AnswerForm(chosen.data),
    listing=_listing,
    waiting=lambda rows: rows.filter(status__in=services.UNDECIDED),
    is_open=_is_open,
    is_late=lambda claim: already(claim, ClaimStatus(claim.status), claim.decided_by),
    nothing=DECIDED,
    write=_decline,
)


@register_page(MissingSaleClaim)
class MissingSaleClaimAdmin(HasHead, Queue, Decides, ReadOnlyAdmin):
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
        ("Claim", {"fields": ("note",)}),
        ("Answer", {"fields": ("shown_answer", ("decider", "decided"))}),
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Open claims first: "open" sorts last among the statuses."""
        return ("-status", "-pk")

    def head_of(self, request: HttpRequest, row: Any) -> Head:
        day = row.ordered_on and date_format(row.ordered_on, "j M Y")
        return Head(
            name=_claimed_order(row),
            status=row.get_status_display(),
            colour=STATUS_COLOURS[row.status],
            facts=[
                ("Affiliate", page_link(row.affiliate)),
                ("Client", row.client_hint),
                ("Ordered about", day),
                ("Submitted", moment(row.created_at)),
            ],
        )

    def beside(self, row: MissingSaleClaim) -> dict[str, Any]:
        orders = selectors.suggested_orders(row)
        number_invoices(orders, "invoice_ref")
        shown = [(order, client_link(order.client)) for order in orders]
        return {"orders": shown, "claim": row}

    claimed = row_column("Claimed", _claimed_order, ordering="order_hint")
    coloured_status = coloured_column("status", "Status", STATUS_COLOURS)
    # The id grows with time and has an index; the time has none.
    created = column("created_at", "Submitted", show=moment, ordering="id")
    shown_answer = row_column("Answer", selectors.answer_text)
    decider = column("decided_by", "Decided by")
    decided = column("decided_at", "Decided", show=moment)

    has_decide_permission = requires("affiliates_claims.decide_missingsaleclaim")
    # Granting assigns the order, so it needs that permission as well.
    has_grant_permission = requires(
        "affiliates_claims.decide_missingsaleclaim", "affiliates.assign_orderreferral"
    )

    grant = GRANT.on_row("Grant")
    decline = DECLINE.on_row("Decline")
    decline_selected = DECLINE.on_list("Decline…")


def _in_words(order: OrderReferral) -> str:
    credited = "nobody" if order.affiliate is None else order.affiliate.code
    return (
        f"Invoice {order.invoice_number}, converted "  # type: ignore[attr-defined] # asked for above
        f"{moment(order.converted_at)}, credited to {credited}"
    )
