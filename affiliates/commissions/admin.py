from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join

from affiliates.adapter import Reference
from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline, display
from affiliates.admin_tools.columns import host_link, moment, money_text, row_link
from affiliates.commissions.admin_actions import CommissionActions, left_text
from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.selectors import with_taken_back
from affiliates.ledger.admin import AffiliateFilter
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import Account
from affiliates.plans.rules.messages import explain_receipt

STATUS_COLOURS: dict[str, str] = {
    CommissionStatus.PENDING: "info",
    CommissionStatus.MATURED: "warning",
    CommissionStatus.HELD: "warning",
    CommissionStatus.APPROVED: "success",
    CommissionStatus.PAID: "success",
    CommissionStatus.REJECTED: "danger",
    CommissionStatus.REVERSED: "danger",
}


class ReversalInline(ReadOnlyInline):
    model = CommissionReversal
    verbose_name_plural = "taken back by refunds"
    hide_title = True
    fields = ("refund", "taken", "recorded")
    readonly_fields = fields
    related = ("sale_reversal__refund", "commission")

    @admin.display(description="Refund")
    def refund(self, reversal: CommissionReversal) -> str:
        refund = reversal.sale_reversal.refund
        return row_link("invoicerefund", refund.pk, refund.refund_ref)

    @admin.display(description="Taken back")
    def taken(self, reversal: CommissionReversal) -> str:
        return money_text(-reversal.amount, reversal.commission.currency)

    @admin.display(description="Recorded")
    def recorded(self, reversal: CommissionReversal) -> str:
        return moment(reversal.recorded_at)


class CommissionEventInline(ReadOnlyInline):
    model = CommissionEvent
    verbose_name_plural = "steps"
    hide_title = True
    fields = ("when", "before", "after", "reason_text", "who")
    readonly_fields = fields
    related = ("actor",)

    @admin.display(description="When")
    def when(self, event: CommissionEvent) -> str:
        return moment(event.at)

    @admin.display(description="Who")
    def who(self, event: CommissionEvent) -> str:
        return "The program" if event.actor is None else str(event.actor)


class PostingInline(ReadOnlyInline):
    model = LedgerPosting
    verbose_name_plural = "postings in the books"
    show_change_link = True
    hide_title = True
    fields = ("posted", "kind", "movement", "key")
    readonly_fields = fields

    @admin.display(description="Posted")
    def posted(self, posting: LedgerPosting) -> str:
        return moment(posting.posted_at)

    @admin.display(description="Accounts")
    def movement(self, posting: LedgerPosting) -> str:
        entries = (
            (Account(entry.account).label, money_text(entry.amount, entry.currency))
            for entry in posting.entries.all()
        )
        return format_html_join("", "<div>{}: {}</div>", entries)

    def get_queryset(self, request: HttpRequest) -> QuerySet[LedgerPosting]:
        rows: QuerySet[LedgerPosting] = super().get_queryset(request)
        return rows.prefetch_related("entries")


@admin.register(Commission)
class CommissionAdmin(CommissionActions, ReadOnlyAdmin):
    about = (
        "What affiliates earned, one for each sale. Open one for its receipt and for "
        "every step of its life."
    )
    list_display = (
        "invoice_ref",
        "affiliate",
        "earned_amount",
        "left",
        "coloured_status",
        "plan",
        "earned",
        "matures",
    )
    list_filter = ("brand", "status", "plan_version__plan", AffiliateFilter)
    list_select_related = ("affiliate", "sale", "plan_version__plan")
    date_hierarchy = "earned_at"
    search_fields = (
        "sale__invoice_ref",
        "sale__order_referral__order_ref",
        "affiliate__code",
    )
    search_help_text = "Invoice, order or affiliate's code"
    actions: ClassVar = ("approve", "hold", "release", "reject")
    actions_detail: ClassVar = (
        "approve_one",
        "hold_one",
        "release_one",
        "reject_one",
    )
    inlines = (ReversalInline, CommissionEventInline, PostingInline)
    fieldsets = (
        (
            "Commission",
            {
                "fields": (
                    ("affiliate", "brand"),
                    ("status", "reason_text"),
                    ("earned_amount", "left"),
                    ("story", "invoice"),
                    ("earned", "matures"),
                    ("plan", "payout"),
                )
            },
        ),
        ("Receipt", {"fields": ("receipt",)}),
    )
    readonly_fields = (
        "earned_amount",
        "left",
        "story",
        "invoice",
        "earned",
        "matures",
        "plan",
        "receipt",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        commissions: QuerySet[Commission] = super().get_queryset(request)
        return with_taken_back(commissions)

    @admin.display(description="Invoice", ordering="sale__invoice_ref")
    def invoice_ref(self, commission: Commission) -> str:
        return commission.sale.invoice_ref

    @admin.display(description="Earned", ordering="amount")
    def earned_amount(self, commission: Commission) -> str:
        return money_text(commission.amount, commission.currency)

    @admin.display(description="After refunds")
    def left(self, commission: Commission) -> str:
        return left_text(commission)

    @display(description="Status", ordering="status", label=STATUS_COLOURS)
    def coloured_status(self, commission: Commission) -> tuple[str, str]:
        return commission.status, CommissionStatus(commission.status).label

    @admin.display(description="Plan")
    def plan(self, commission: Commission) -> str:
        return plan_link(commission)

    @admin.display(description="Paid", ordering="earned_at")
    def earned(self, commission: Commission) -> str:
        return moment(commission.earned_at)

    @admin.display(description="Hold ends", ordering="matures_at")
    def matures(self, commission: Commission) -> str:
        return moment(commission.matures_at)

    @admin.display(description="Order")
    def story(self, commission: Commission) -> str:
        referral = commission.sale.order_referral
        text = f"The story of order {referral.order_ref}"
        return row_link("orderreferral", referral.pk, text)

    @admin.display(description="Invoice")
    def invoice(self, commission: Commission) -> str:
        return host_link(Reference.INVOICE, commission.sale.invoice_ref)

    @admin.display(description="How it is computed")
    def receipt(self, commission: Commission) -> str:
        return format_html_join(
            "",
            '<div class="mb-3"><strong>{}: {}</strong>{}</div>',
            (
                (
                    line.description,
                    money_text(line.amount, commission.currency),
                    format_html_join(
                        "",
                        "<div>{}</div>",
                        ((one,) for one in explain_receipt(line.receipt)),
                    ),
                )
                for line in commission.lines.all()
            ),
        )


def plan_link(commission: Commission) -> str:
    version = commission.plan_version
    if version is None:
        return "-"
    return row_link("commissionplan", version.plan_id, version)
