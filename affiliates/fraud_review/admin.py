"""The queue of suspicious sales: the evidence, and staff's decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import F, OuterRef, Prefetch, QuerySet, Subquery
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from affiliates.admin_tools.base import ReadOnlyAdmin, requires
from affiliates.admin_tools.columns import (
    client_link,
    coloured_column,
    column,
    moment,
    money_text,
    page_link,
    row_column,
    row_link,
    story_link,
)
from affiliates.admin_tools.confirmation import Listing, list_rows
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision, already
from affiliates.admin_tools.forms import reason_field
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.lists.queues import Queue, QueueOrder
from affiliates.admin_tools.theme import register_page
from affiliates.commissions.models import Commission
from affiliates.fraud.models import MAX_NOTE, FraudReview
from affiliates.fraud.order_facts import sharing_browser, sharing_destination
from affiliates.fraud.rules.messages import evidence_text
from affiliates.fraud.rules.policy import FraudAction, ReviewOutcome, Signal
from affiliates.fraud_review import services as reviewing
from affiliates.fraud_review.messages import EFFECTS, LEFT, QUESTIONS

ACTION_COLOURS = {
    FraudAction.FLAG: "info",
    FraudAction.HOLD: "warning",
    FraudAction.DECLINE: "danger",
}
SHARING = {
    Signal.SHARED_DESTINATION: sharing_destination,
    Signal.SHARED_BROWSER: sharing_browser,
}
OUTCOME_COLOURS = {
    ReviewOutcome.OPEN: "warning",
    ReviewOutcome.RELEASED: "success",
    ReviewOutcome.REJECTED: "danger",
}


class ReviewNoteForm(forms.Form):
    """Requires a note for a rejection; for a release it is optional."""

    note = reason_field(
        "It is kept with the review and with the commission.", max_length=MAX_NOTE
    )

    def __init__(self, data: Any = None, *, outcome: ReviewOutcome) -> None:
        super().__init__(data)
        self.fields["note"].required = outcome is ReviewOutcome.REJECTED


def _actions(
    outcome: ReviewOutcome, name: str, button: str, judge: Callable[..., Any]
) -> tuple[Any, Any]:
    decision = StaffDecision(
        name=name,
        permission="judge",
        title=QUESTIONS[outcome],
        button=button,
        details=lambda chosen: (
            {} if len(chosen.ids) == 1 else {"button": f"{button} {len(chosen.ids)}"}
        ),
        paragraphs=[EFFECTS[outcome]],
        form=lambda chosen: ReviewNoteForm(chosen.data, outcome=outcome),
        listing=partial(_listing, outcome),
        waiting=lambda rows: rows.filter(outcome=ReviewOutcome.OPEN),
        is_open=lambda row: row.outcome == ReviewOutcome.OPEN,
        is_late=lambda row: already(row, ReviewOutcome(row.outcome), row.reviewed_by),
        nothing="Nothing here is open any more: somebody has reviewed it already.",
        write=partial(_write, outcome, judge),
    )
    return decision.on_list(f"{button} selected"), decision.on_row(button)


def _listing(outcome: ReviewOutcome, chosen: Chosen) -> Listing:
    page = chosen.page
    return list_rows(
        chosen.rows.order_by("-pk"),
        {
            "Invoice": lambda row: row_link(
                "fraudreview", row.pk, row.sale.invoice_number
            ),
            "Affiliate": lambda row: row.sale.affiliate.code,
            "Signals": page.signals,
            "Commission": page.commission,
            **(chosen.own_reason() if outcome is ReviewOutcome.REJECTED else {}),
        },
        invoice_path=page.invoice_path,
    )


def _write(
    outcome: ReviewOutcome,
    judge: Callable[..., Any],
    chosen: Chosen,
    answers: Mapping[str, Any],
) -> None:
    now, closed, left = timezone.now(), 0, 0
    with transaction.atomic():
        for reason, ids in chosen.by_reason(answers["note"]).items():
            judged = judge(
                review_ids=ids, actor_id=chosen.actor_id, note=reason, now=now
            )
            closed, left = closed + judged.closed, left + judged.left
    chosen.report(f"Reviews {outcome}: {closed}.", is_success=closed > 0)
    if left:
        chosen.report(LEFT[outcome].format(left), is_success=False)


def _named(review: FraudReview, signal: str) -> str:
    """The other affiliates that the signal is about, as they are now."""
    if signal not in SHARING:
        return ""
    others = SHARING[Signal(signal)](review.sale.affiliate).order_by("code")
    names = format_html_join(", ", "{}", ((page_link(page),) for page in others))
    return format_html("Now: {}.", names) if names else ""


@register_page(FraudReview)
class FraudReviewAdmin(Queue, Decides, ReadOnlyAdmin):
    about = (
        "Sales that showed signals of fraud, those to be reviewed first. What is held "
        "waits for you; what is flagged is paid as usual unless you reject it."
    )
    list_display = (
        "invoice",
        "brand",
        "affiliate_code",
        "coloured_action",
        "signals",
        "commission",
        "coloured_outcome",
        "found",
    )
    queue = QueueOrder(
        field="outcome",
        waiting=(ReviewOutcome.OPEN,),
        since="found_at",
        amount=Subquery(
            Commission.objects.filter(sale=OuterRef("sale"), share_of__isnull=True)
            .order_by("-pk")
            .values("amount")[:1]
        ),
    )
    list_filter = (("found_at", DaysFilter), "outcome", "action", "brand")
    list_select_related = ("sale__affiliate", "brand")
    search_fields = (
        search.named("sale", search.invoices()),
        search.named("sale", search.named("order_referral", search.orders())),
        search.named("sale", search.affiliates()),
    )
    invoice_path = "sale.invoice_ref"
    search_help_text = "Invoice, order or affiliate's code"
    actions: ClassVar = ("release_selected", "reject_selected")
    actions_detail: ClassVar = ("release_one", "reject_one")
    fieldsets = (
        (
            "Sale",
            {"fields": (("sale_link", "order"), ("affiliate", "client"), "commission")},
        ),
        ("Signals", {"fields": ("done", "evidence")}),
        ("Review", {"fields": (("outcome", "note"), ("reviewer", "reviewed"))}),
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Open reviews first: "open" sorts before "rejected" and "released"."""
        return ("outcome", "-pk")

    def get_queryset(self, request: HttpRequest) -> QuerySet[FraudReview]:
        reviews: QuerySet[FraudReview] = super().get_queryset(request)
        of_affiliate = Commission.objects.filter(
            affiliate=F("sale__affiliate"), share_of__isnull=True
        )
        newest_first = of_affiliate.order_by("-pk")
        return reviews.prefetch_related(
            Prefetch("sale__commissions", queryset=newest_first)
        )

    invoice = column("sale.invoice_number", "Invoice")
    affiliate_code = column(
        "sale.affiliate.code", "Affiliate", ordering="sale__affiliate__code"
    )
    sale_link = column("sale", "Sale", show=page_link)
    order = column("sale.order_referral", "Order", show=story_link)
    affiliate = column("sale.affiliate", "Affiliate", show=page_link)
    client = column("sale.order_referral.client", "Client", show=client_link)
    coloured_action = row_column(
        "Done so far",
        lambda row: (row.action, FraudAction(row.action).done),
        ordering="action",
        label=ACTION_COLOURS,
    )
    done = row_column("Done so far", lambda row: FraudAction(row.action).done)

    @admin.display(description="Signals")
    def signals(self, review: FraudReview) -> str:
        labels = [Signal(finding["signal"]).label for finding in review.findings]
        return format_html_join("", "<div>{}</div>", ((label,) for label in labels))

    evidence = row_column(
        "Evidence",
        lambda row: format_html_join(
            "",
            '<div class="mb-3"><strong>{}</strong> ({})<br>{} {}</div>',
            (
                (
                    Signal(finding["signal"]).label,
                    FraudAction(finding["action"]).done.lower(),
                    evidence_text(finding["signal"], finding["facts"]),
                    _named(row, finding["signal"]),
                )
                for finding in row.findings
            ),
        ),
    )

    @admin.display(description="Commission")
    def commission(self, review: FraudReview) -> str:
        commissions = review.sale.commissions.all()
        if not commissions:
            return "-"
        newest = commissions[0]
        amount = money_text(newest.amount, newest.currency)
        return f"{amount}, {newest.get_status_display().lower()}"

    coloured_outcome = coloured_column("outcome", "Outcome", OUTCOME_COLOURS)
    reviewer = column("reviewed_by", "Reviewed by")
    reviewed = column("reviewed_at", "Reviewed", show=moment)
    # The id grows with time and has an index; the time has none.
    found = column("found_at", "Found", show=moment, ordering="id")

    has_judge_permission = requires("affiliates.decide_fraudreview")
    release_selected, release_one = _actions(
        ReviewOutcome.RELEASED, "release", "Release", reviewing.release_sales
    )
    reject_selected, reject_one = _actions(
        ReviewOutcome.REJECTED, "reject", "Reject", reviewing.reject_sales
    )
