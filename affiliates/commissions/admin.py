from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet, prefetch_related_objects
from django.http import HttpRequest
from django.utils.html import format_html_join

from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline
from affiliates.admin_tools.columns import (
    coloured_column,
    column,
    invoice_link,
    moment,
    money_text,
    page_link,
    row_column,
    row_link,
    row_money,
    story_link,
)
from affiliates.admin_tools.heads import HasHead, Head
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import EARLIEST, DaysFilter, UsualDaysFilter
from affiliates.admin_tools.lists.queues import Queue, QueueOrder
from affiliates.admin_tools.theme import register_page
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
from affiliates.plans.rules.explanations import explain_receipt

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
    show_title = False
    fields = ("refund", "taken", "recorded")
    related = ("sale_reversal__refund", "sale_reversal__cancellation", "commission")

    refund = column("sale_reversal.fact", "Refund or cancellation", show=page_link)
    taken = row_column(
        "Taken back", lambda row: money_text(-row.amount, row.commission.currency)
    )
    recorded = column("recorded_at", "Recorded", show=moment)


class CommissionEventInline(ReadOnlyInline):
    model = CommissionEvent
    verbose_name_plural = "steps"
    show_title = False
    fields = ("when", "before", "after", "reason_text", "who")
    related = ("actor",)

    when = column("at", "When", show=moment)
    who = row_column(
        "Who", lambda row: "The program" if row.actor is None else str(row.actor)
    )


class PostingInline(ReadOnlyInline):
    model = LedgerPosting
    verbose_name_plural = "postings in the books"
    show_change_link = True
    show_title = False
    fields = ("posted", "kind", "movement", "key")

    posted = column("posted_at", "Posted", show=moment)

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


def _plan_link(commission: Commission) -> str:
    version = commission.plan_version
    if version is None:
        return "-"
    return row_link("commissionplan", version.plan_id, version)


class HoldFilter(UsualDaysFilter):
    title = "end of hold"
    parameter_name = "hold"
    field = "matures_at"
    only: ClassVar = {"status": CommissionStatus.PENDING}
    spans: ClassVar = {
        "over": ("Until today", lambda today: (EARLIEST, today)),
        "week": ("Next 7 days", lambda today: (today, today + timedelta(days=6))),
        "month": ("Next 30 days", lambda today: (today, today + timedelta(days=29))),
    }


@register_page(Commission)
class CommissionAdmin(HasHead, Queue, CommissionActions, ReadOnlyAdmin):
    about = (
        "What affiliates earned, one for each sale. Open one for its receipt and for "
        "every step of its life."
    )
    list_display = (
        "invoice_number",
        "brand",
        "affiliate",
        "earned_amount",
        "left",
        "coloured_status",
        "plan",
        "earned",
        "matures",
    )
    queue = QueueOrder(
        field="status",
        waiting=(CommissionStatus.HELD, CommissionStatus.MATURED),
        since="earned_at",
        amount="amount",
    )
    ordering = ("-earned_at",)
    sortable_by = ("earned",)
    list_filter = (
        ("earned_at", DaysFilter),
        HoldFilter,
        "brand",
        "status",
        "plan_version__plan",
        AffiliateFilter,
    )
    list_select_related = ("affiliate", "brand", "sale", "plan_version__plan")
    search_fields = (
        search.named("sale", search.invoices()),
        search.named("sale", search.named("order_referral", search.orders())),
        search.affiliates(),
        search.named("sale", search.named("order_referral", search.clients())),
    )
    invoice_path = "sale.invoice_ref"
    totals_of: ClassVar = {
        "Earned": ("amount", "currency"),
        "Taken back by refunds": ("reversals__amount", "currency"),
        "Earned after refunds": ("amount", "reversals__amount", "currency"),
    }
    search_help_text = "Invoice, order, affiliate's code or the client's e-mail address"
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
                    ("earned_amount", "reason_text"),
                    ("earned", "matures"),
                    ("plan", "payout"),
                    ("brand", "of_recruited"),
                )
            },
        ),
        ("Receipt", {"fields": ("receipt",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        commissions: QuerySet[Commission] = super().get_queryset(request)
        return with_taken_back(commissions)

    def get_object(self, request: HttpRequest, *args: Any) -> Any:
        row = super().get_object(request, *args)
        if row is not None:
            prefetch_related_objects([row], "lines")
        return row

    def head_of(self, request: HttpRequest, row: Any) -> Head:
        return Head(
            name=row,
            status=row.get_status_display(),
            colour=STATUS_COLOURS[row.status],
            amount=left_text(row),
            facts=[
                ("Affiliate", page_link(row.affiliate)),
                ("Invoice", invoice_link(row.sale)),
                ("Order", story_link(row.sale.order_referral)),
            ],
        )

    invoice_number = column("sale.invoice_number", "Invoice")
    earned_amount = row_column("Earned", row_money, ordering="amount")
    left = row_column("After refunds", left_text)
    coloured_status = coloured_column("status", "Status", STATUS_COLOURS)
    plan = row_column("Plan", _plan_link)
    earned = column("earned_at", "Client paid", show=moment, ordering="earned_at")
    matures = column("matures_at", "Hold ends", show=moment, ordering="matures_at")
    of_recruited = row_column(
        "Share of",
        lambda row: (
            "-"
            if row.share_of_id is None
            else row_link("commission", row.share_of_id, row.share_of)
        ),
    )
    receipt = row_column(
        "How it is computed",
        lambda row: format_html_join(
            "",
            '<div class="mb-3"><strong>{}: {}</strong>{}</div>',
            (
                (
                    line.description or "Share",
                    money_text(line.amount, row.currency),
                    format_html_join(
                        "",
                        "<div>{}</div>",
                        ((sentence,) for sentence in explain_receipt(line.receipt)),
                    ),
                )
                for line in row.lines.all()
            ),
        ),
    )
