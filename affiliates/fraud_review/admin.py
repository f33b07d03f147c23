"""The queue of suspicious sales: the evidence, and what staff make of it."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import F, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.html import format_html_join

from affiliates.admin_tools.base import ReadOnlyAdmin, action, display
from affiliates.admin_tools.columns import client_link, moment, row_link
from affiliates.admin_tools.confirmation import (
    AsksFirst,
    Listing,
    Question,
    answer_of,
    first_ids,
    list_rows,
)
from affiliates.admin_tools.forms import reason_field
from affiliates.commissions.models import Commission
from affiliates.core.money import from_minor
from affiliates.fraud.models import MAX_NOTE, FraudReview
from affiliates.fraud.rules.messages import evidence_text
from affiliates.fraud.rules.policy import FraudAction, ReviewOutcome, Signal
from affiliates.fraud_review import services as reviewing
from affiliates.fraud_review.messages import ACTION_WORDS, EFFECTS, LEFT, QUESTIONS

ACTION_COLOURS = {
    FraudAction.FLAG: "info",
    FraudAction.HOLD: "warning",
    FraudAction.DECLINE: "danger",
}
OUTCOME_COLOURS = {
    ReviewOutcome.OPEN: "warning",
    ReviewOutcome.RELEASED: "success",
    ReviewOutcome.REJECTED: "danger",
}
REVIEWED_ALREADY = "Somebody has reviewed this sale already."
MISSED = "Somebody has reviewed already: {}."


class NoteForm(forms.Form):
    note = reason_field(
        "Optional. It is kept with the review and with the commission.",
        max_length=MAX_NOTE,
        required=False,
    )


@admin.register(FraudReview)
class FraudReviewAdmin(AsksFirst, ReadOnlyAdmin):
    about = (
        "Sales that showed signs of fraud, those to be reviewed first. What is held "
        "waits for you; what is flagged is paid as usual unless you reject it."
    )
    list_display = (
        "invoice",
        "affiliate_code",
        "coloured_action",
        "signals",
        "commission",
        "coloured_outcome",
        "found",
    )
    list_filter = ("outcome", "action", "brand")
    list_select_related = ("sale__affiliate",)
    search_fields = (
        "sale__invoice_ref",
        "sale__order_referral__order_ref",
        "sale__affiliate__code",
    )
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
    readonly_fields = (
        "sale_link",
        "order",
        "affiliate",
        "client",
        "commission",
        "done",
        "evidence",
        "reviewer",
        "reviewed",
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Open ones first: the word comes before "rejected" and "released"."""
        return ("outcome", "-pk")

    def get_queryset(self, request: HttpRequest) -> QuerySet[FraudReview]:
        reviews: QuerySet[FraudReview] = super().get_queryset(request)
        of_affiliate = Commission.objects.filter(affiliate=F("sale__affiliate"))
        newest_first = of_affiliate.order_by("-pk")
        return reviews.prefetch_related(
            Prefetch("sale__commissions", queryset=newest_first)
        )

    @admin.display(description="Invoice", ordering="sale__invoice_ref")
    def invoice(self, review: FraudReview) -> str:
        return review.sale.invoice_ref

    @admin.display(description="Affiliate", ordering="sale__affiliate__code")
    def affiliate_code(self, review: FraudReview) -> str:
        return review.sale.affiliate.code

    @admin.display(description="Sale")
    def sale_link(self, review: FraudReview) -> str:
        return row_link("sale", review.sale_id, review.sale.invoice_ref)

    @admin.display(description="Order")
    def order(self, review: FraudReview) -> str:
        referral = review.sale.order_referral
        text = f"The story of order {referral.order_ref}"
        return row_link("orderreferral", referral.pk, text)

    @admin.display(description="Affiliate")
    def affiliate(self, review: FraudReview) -> str:
        affiliate = review.sale.affiliate
        return row_link("affiliate", affiliate.pk, affiliate.code)

    @admin.display(description="Client")
    def client(self, review: FraudReview) -> str:
        return client_link(review.sale.order_referral.client)

    @display(description="Done so far", ordering="action", label=ACTION_COLOURS)
    def coloured_action(self, review: FraudReview) -> tuple[str, str]:
        return review.action, ACTION_WORDS[review.action]

    @admin.display(description="Done so far")
    def done(self, review: FraudReview) -> str:
        return ACTION_WORDS[review.action]

    @admin.display(description="Signals")
    def signals(self, review: FraudReview) -> str:
        labels = [Signal(one["signal"]).label for one in review.findings]
        return format_html_join("", "<div>{}</div>", ((label,) for label in labels))

    @admin.display(description="Evidence")
    def evidence(self, review: FraudReview) -> str:
        return format_html_join(
            "",
            '<div class="mb-3"><strong>{}</strong> ({})<br>{}</div>',
            (
                (
                    Signal(one["signal"]).label,
                    ACTION_WORDS[one["action"]].lower(),
                    evidence_text(one["signal"], one["facts"]),
                )
                for one in review.findings
            ),
        )

    @admin.display(description="Commission")
    def commission(self, review: FraudReview) -> str:
        commissions = review.sale.commissions.all()
        if not commissions:
            return "-"
        newest = commissions[0]
        amount = from_minor(newest.amount, newest.currency)
        return f"{amount}, {newest.get_status_display().lower()}"

    @display(description="Outcome", ordering="outcome", label=OUTCOME_COLOURS)
    def coloured_outcome(self, review: FraudReview) -> tuple[str, str]:
        return review.outcome, review.get_outcome_display()

    @admin.display(description="Reviewed by")
    def reviewer(self, review: FraudReview) -> str:
        return "-" if review.reviewed_by is None else str(review.reviewed_by)

    @admin.display(description="Reviewed")
    def reviewed(self, review: FraudReview) -> str:
        return moment(review.reviewed_at)

    # The id grows with time and has an index; the time has none.
    @admin.display(description="Found", ordering="id")
    def found(self, review: FraudReview) -> str:
        return moment(review.found_at)

    def get_actions_detail(self, request: HttpRequest, object_id: str) -> Any:
        """A permission that refuses who comes second could not tell them why."""
        review = self.get_object(request, object_id)
        if review is None or review.outcome != ReviewOutcome.OPEN:
            return []
        return super().get_actions_detail(request, object_id)

    def has_judge_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return bool(request.user.has_perm("affiliates.change_fraudreview"))

    @action(description="Release selected", permissions=["judge"])
    def release_selected(
        self, request: HttpRequest, queryset: QuerySet[FraudReview]
    ) -> HttpResponse:
        return self._judge(request, queryset, ReviewOutcome.RELEASED)

    @action(description="Reject selected", permissions=["judge"])
    def reject_selected(
        self, request: HttpRequest, queryset: QuerySet[FraudReview]
    ) -> HttpResponse:
        return self._judge(request, queryset, ReviewOutcome.REJECTED)

    @action(description="Release", url_path="release", permissions=["judge"])
    def release_one(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._judge_one(request, object_id, ReviewOutcome.RELEASED)

    @action(description="Reject", url_path="reject", permissions=["judge"])
    def reject_one(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._judge_one(request, object_id, ReviewOutcome.REJECTED)

    def _judge_one(
        self, request: HttpRequest, object_id: str, outcome: ReviewOutcome
    ) -> HttpResponse:
        review = self.row_of(request, object_id)
        if review.outcome == ReviewOutcome.OPEN:
            one = self.get_queryset(request).filter(pk=review.pk)
            return self._judge(request, one, outcome)
        self.message_user(request, REVIEWED_ALREADY, messages.WARNING)
        return HttpResponseRedirect(self.page_of(review))

    def _judge(
        self,
        request: HttpRequest,
        reviews: QuerySet[FraudReview],
        outcome: ReviewOutcome,
    ) -> HttpResponse:
        ids = first_ids(reviews.filter(outcome=ReviewOutcome.OPEN))
        button = "Release" if outcome is ReviewOutcome.RELEASED else "Reject"
        form = NoteForm(answer_of(request))
        question = Question(
            title=QUESTIONS[outcome],
            button=button if len(ids) == 1 else f"{button} {len(ids)}",
            paragraphs=[EFFECTS[outcome]],
            form=form,
            listing=lambda: self._listing(reviews.filter(pk__in=ids)),
            nothing="Nothing here is open any more: somebody has reviewed it already.",
            selected=ids,
        )
        return self.ask_or_do(
            request,
            question,
            lambda: self._do(request, ids, outcome, form.cleaned_data["note"]),
        )

    def _listing(self, reviews: QuerySet[FraudReview]) -> Listing:
        return list_rows(
            reviews.order_by("-pk"),
            {
                "Invoice": lambda one: row_link(
                    "fraudreview", one.pk, one.sale.invoice_ref
                ),
                "Affiliate": lambda one: one.sale.affiliate.code,
                "Signals": self.signals,
                "Commission": self.commission,
            },
        )

    def _do(
        self, request: HttpRequest, ids: list[int], outcome: ReviewOutcome, note: str
    ) -> None:
        is_release = outcome is ReviewOutcome.RELEASED
        judge = reviewing.release_sales if is_release else reviewing.reject_sales
        judged = judge(
            review_ids=ids, actor_id=request.user.pk, note=note, now=timezone.now()
        )
        level = messages.SUCCESS if judged.closed else messages.WARNING
        self.message_user(request, f"Reviews {outcome}: {judged.closed}.", level)
        if judged.left:
            text = LEFT[outcome].format(judged.left)
            self.message_user(request, text, messages.WARNING)
        asked = len(request.POST.getlist("_selected_action")) or 1
        if (missed := asked - judged.closed - judged.left) > 0:
            self.message_user(request, MISSED.format(missed), messages.WARNING)
