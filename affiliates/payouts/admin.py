from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline
from affiliates.admin_tools.columns import (
    client_link,
    coloured_column,
    column,
    moment,
    page_link,
    row_column,
    row_money,
)
from affiliates.admin_tools.heads import HasHead, Head
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter, UsualDaysFilter
from affiliates.admin_tools.lists.queues import Queue, QueueOrder
from affiliates.admin_tools.theme import register_page
from affiliates.commissions.models import Commission
from affiliates.core.days import month_of
from affiliates.errors import StateConflict
from affiliates.payouts.admin_actions import PayoutActions
from affiliates.payouts.details import ACCOUNTS
from affiliates.payouts.models import (
    Payout,
    PayoutDestination,
    PayoutEvent,
)
from affiliates.payouts.providers.protocol import Way
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending.selectors import received_text
from affiliates.payouts.services.steps import way_of

STATUS_COLOURS = {
    PayoutStatus.REQUESTED: "warning",
    PayoutStatus.APPROVED: "info",
    PayoutStatus.EXPORTED: "info",
    PayoutStatus.PAID: "success",
    PayoutStatus.REJECTED: "danger",
    PayoutStatus.RETURNED: "danger",
}


@register_page(PayoutDestination)
class PayoutDestinationAdmin(ReadOnlyAdmin):
    about = (
        "Where affiliates are paid to. A change adds a row; the newest of an affiliate "
        "counts. What is hidden here is in the files for PayPal and the bank."
    )
    nothing_yet = (
        "A row appears when an affiliate says where payouts are to go, or staff enter it "
        "on the affiliate's page."
    )
    list_display = ("affiliate", "brand", "way", "shown_hint", "usable", "given_at")
    list_filter = (("created_at", DaysFilter), "kind", "affiliate__brand")
    list_select_related = ("affiliate__brand",)
    search_fields = (
        search.affiliates(),
        search.named("affiliate", search.clients("user")),
    )
    search_help_text = "Affiliate's code or the client's e-mail address"
    fields = (
        ("affiliate", "client"),
        ("kind", "shown_hint"),
        ("usable", "given_at"),
        "entered",
    )

    brand = column("affiliate.brand", "Brand")
    client = column("affiliate.user", "Client", show=client_link)
    way = row_column("Kind", lambda row: row.get_kind_display(), ordering="kind")
    shown_hint = row_column("Hint", lambda row: row.hint or "-")
    usable = column("paid_from", "Paid to from", show=moment)
    given_at = column("created_at", "Given", show=moment, ordering="id")
    entered = row_column(
        "Entered by", lambda row: str(row.entered_by or "The affiliate")
    )


class PayoutEventInline(ReadOnlyInline):
    model = PayoutEvent
    verbose_name_plural = "steps"
    show_title = False
    fields = ("when", "before", "after", "reason", "actor")
    related = ("actor",)

    when = column("at", "When", show=moment)


class CommissionInline(ReadOnlyInline):
    model = Commission
    verbose_name_plural = "commissions it pays"
    show_title = False
    fields = ("sale", "earned", "worth", "status")
    related = ("sale",)
    invoice_path = "sale.invoice_ref"

    earned = column("earned_at", "Earned", show=moment)
    worth = row_column("Before refunds", row_money)


class PaidFilter(UsualDaysFilter):
    title = "paid"
    parameter_name = "paid"
    field = "finished_at"
    only: ClassVar = {"status": PayoutStatus.PAID}
    spans: ClassVar = {
        "month": ("This month", month_of),
        "last-month": ("Last month", lambda today: month_of(today, back=1)),
        "before-last": (
            "The month before last",
            lambda today: month_of(today, back=2),
        ),
    }


@register_page(Payout)
class PayoutAdmin(HasHead, Queue, PayoutActions, ReadOnlyAdmin):
    about = (
        "What affiliates asked to be paid, or staff started. Approve, export, confirm or "
        "reject one on its page, or several selected here."
    )
    nothing_yet = (
        "A row appears when an affiliate asks for its payable balance, or staff start a "
        "payout on the affiliate's page."
    )
    list_display = (
        "number",
        "affiliate",
        "brand",
        "worth",
        "where",
        "coloured_status",
        "requested",
        "finished",
        "remote_ref",
        "file",
    )
    queue = QueueOrder(
        field="status",
        waiting=(PayoutStatus.REQUESTED, PayoutStatus.APPROVED, PayoutStatus.EXPORTED),
        since="requested_at",
        amount="amount",
    )
    list_filter = (
        ("requested_at", DaysFilter),
        PaidFilter,
        "status",
        "brand",
        "destination__kind",
        "currency",
    )
    list_select_related = ("affiliate", "brand", "destination", "batch")
    search_fields = (search.exactly("id", "remote_ref"), search.affiliates())
    search_help_text = "Number, affiliate's code or reference"
    totals_of: ClassVar = {"Payouts": ("amount", "currency")}
    actions: ClassVar[tuple[str, ...]] = (
        "approve",
        "export",
        "confirm",
        "came_back",
        "reject",
        "reject_uncredited",
    )
    actions_detail: ClassVar[tuple[str, ...]] = (
        "approve_this",
        "export_this",
        "confirm_this",
        "came_back_this",
        "reject_this",
        "reject_uncredited_this",
    )
    inlines = (PayoutEventInline, CommissionInline)
    fields = (
        ("reason", "remote_ref"),
        "paid_as",
        ("file", "requested"),
        ("prepared_by", "approved_by"),
        ("is_for_two", "finished"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Payout]:
        """Excludes the files, which may have megabytes."""
        payouts: QuerySet[Payout] = super().get_queryset(request)
        return payouts.defer("batch__content")

    # Account credit is added in steps that commit separately.
    @transaction.non_atomic_requests
    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        page: HttpResponse = super().changelist_view(request, extra_context)
        return page

    def get_fields(
        self, request: HttpRequest, obj: Payout | None = None
    ) -> tuple[Any, ...]:
        is_agreed = obj and way_of(obj) is Way.AGREEMENT
        if is_agreed and self.has_pay_permission(request):
            return (*self.fields, "agreement")
        return tuple(self.fields)

    def head_of(self, request: HttpRequest, row: Payout) -> Head:
        return Head(
            name=row,
            status=row.get_status_display(),
            colour=STATUS_COLOURS[PayoutStatus(row.status)],
            amount=row_money(row),
            facts=[
                ("Affiliate", page_link(row.affiliate)),
                ("Client", client_link(row.affiliate.user)),
                ("Destination", row.destination),
            ],
        )

    @admin.display(description="Agreement")
    def agreement(self, payout: Payout) -> str:
        """The payment agreement, which is needed to pay and recorded only there."""
        try:
            return ACCOUNTS.open(payout.destination.details)["agreement"]
        except StateConflict as error:
            return error.detail

    number = row_column("Payout", str, ordering="pk")
    worth = row_column("Amount", row_money)
    where = column("destination", "Destination")
    coloured_status = coloured_column("status", "Status", STATUS_COLOURS)
    file = column("batch", "File", show=page_link)
    paid_as = row_column(
        "Paid as",
        lambda row: received_text(row.received_amount, row.received_currency) or "-",
    )
    requested = column("requested_at", "Requested", show=moment, ordering="id")
    finished = column("finished_at", "Finished", show=moment)
