from __future__ import annotations

from functools import partial
from typing import ClassVar

from django.http import HttpRequest
from django.utils.html import format_html_join
from djmoney.money import Money

from affiliates.adapter import Reference
from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline
from affiliates.admin_tools.columns import (
    coloured_column,
    column,
    host_link,
    invoice_link,
    moment,
    row_column,
    story_link,
)
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.sales.rules import SaleStatus
from affiliates.sales.selectors import net_after_reversals

SALE_COLOURS = {
    SaleStatus.RECORDED: "success",
    SaleStatus.HELD: "warning",
}


class InvoiceLink:
    invoice_path = "invoice_ref"
    invoice = row_column("Invoice", invoice_link)
    invoice_number = column("invoice_number", "Invoice")


def lines_text(payment: InvoicePayment) -> str:
    return format_html_join(
        "",
        "<div>{} × {}: {}</div>",
        (
            (
                line["quantity"],
                line["description"],
                Money(line["net"], payment.gross.currency),
            )
            for line in payment.lines
        ),
    )


class SaleReversalInline(ReadOnlyInline):
    model = SaleReversal
    verbose_name_plural = "taken back by refunds"
    show_title = False
    fields = ("refund", "cancellation", "net", "recorded")
    related = ("refund", "cancellation")

    recorded = column("recorded_at", "Recorded", show=moment)


@register_page(Sale)
class SaleAdmin(InvoiceLink, ReadOnlyAdmin):
    about = "Paid invoices that an affiliate is credited for, one sale an invoice."
    list_display = (
        "invoice_number",
        "brand",
        "affiliate",
        "net",
        "coloured_status",
        "paid",
    )
    ordering = ("-paid_at",)
    sortable_by = ("paid",)
    list_filter = (("paid_at", DaysFilter), "brand", "status", "reason")
    list_select_related = ("affiliate", "brand")
    search_fields = (
        search.invoices(),
        search.affiliates(),
        search.named("payment", search.exactly("payment_ref")),
        search.named("order_referral", search.orders()),
        search.named("order_referral", search.clients()),
    )
    totals_of: ClassVar = {
        "Net": ("net", "net_currency"),
        "Net after refunds": ("net", "reversals__net", "net_currency"),
    }
    search_help_text = "Invoice, order, payment or affiliate's code"
    inlines = (SaleReversalInline,)
    fields = (
        ("affiliate", "brand"),
        ("status", "reason"),
        ("net", "net_left"),
        ("story", "invoice"),
        ("paid", "recorded"),
        "paid_lines",
    )

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allows the filter by the order's affiliate: the statistics link to it."""
        if lookup == "order_referral__affiliate__id__exact":
            return True
        return bool(super().lookup_allowed(lookup, value, request))

    coloured_status = coloured_column("status", "Status", SALE_COLOURS)
    paid_lines = column("payment", "Lines, net", show=lines_text)
    net_left = row_column(
        "Net after refunds", lambda row: str(net_after_reversals(row))
    )
    story = column("order_referral", "Order", show=story_link)
    paid = column("paid_at", "Paid", show=moment, ordering="paid_at")
    recorded = column("recorded_at", "Recorded", show=moment)


@register_page(InvoicePayment)
class InvoicePaymentAdmin(InvoiceLink, ReadOnlyAdmin):
    about = "Payments as the host told them, also of invoices that credit nobody."
    list_display = (
        "invoice_number",
        "brand",
        "payment_ref",
        "gross",
        "credited",
        "paid",
    )
    ordering = ("-paid_at",)
    sortable_by = ("paid",)
    list_filter = (("paid_at", DaysFilter), "brand")
    list_select_related = ("sale__affiliate", "brand")
    search_fields = (search.invoices(), search.orders(), search.exactly("payment_ref"))
    totals_of: ClassVar = {"Gross": ("gross", "gross_currency")}
    search_help_text = "Invoice, order or payment"
    fields = (
        ("invoice", "order"),
        ("payment_ref", "gross"),
        ("brand", "credited"),
        ("paid", "received"),
        "paid_lines",
    )

    credited = row_column(
        "Own affiliate",
        lambda row: row.sale.affiliate.code if hasattr(row, "sale") else "-",
    )
    order = column("order_ref", "Order", show=partial(host_link, Reference.ORDER))
    paid = column("paid_at", "Paid", show=moment, ordering="paid_at")
    received = column("received_at", "Received", show=moment)
    paid_lines = row_column("Lines, net", lines_text)


@register_page(InvoiceRefund)
class InvoiceRefundAdmin(InvoiceLink, ReadOnlyAdmin):
    about = "Refunds and chargebacks as the host told them."
    list_display = (
        "invoice_number",
        "brand",
        "kind",
        "gross",
        "reversed",
        "refunded",
    )
    ordering = ("-refunded_at",)
    list_filter = (("refunded_at", DaysFilter), "brand", "kind")
    list_select_related = ("reversal", "brand")
    search_fields = (search.invoices(), search.exactly("refund_ref"))
    totals_of: ClassVar = {"Gross": ("gross", "gross_currency")}
    search_help_text = "Refund or invoice"
    fields = (
        ("refund_ref", "kind"),
        ("gross", "reversed"),
        "parts",
        ("invoice", "brand"),
        ("refunded", "received"),
    )

    parts = row_column("Parts that the host named", lambda row: row.named_parts or "-")
    reversed = row_column(
        "Taken from a sale",
        lambda row: str(-row.reversal.net) if hasattr(row, "reversal") else "-",
    )
    refunded = column("refunded_at", "Refunded", show=moment, ordering="refunded_at")
    received = column("received_at", "Received", show=moment)


@register_page(RefundCancellation)
class RefundCancellationAdmin(ReadOnlyAdmin):
    about = "Refunds and chargebacks that did not last, as the host told them."
    list_display = ("cancelled", "brand", "part", "given_back", "refund_ref")
    ordering = ("-cancelled_at",)
    list_filter = (("cancelled_at", DaysFilter), "brand")
    list_select_related = ("reversal", "brand")
    search_fields = (search.exactly("cancellation_ref"), search.exactly("refund_ref"))
    search_help_text = "Cancellation or refund"
    fields = (
        ("cancellation_ref", "refund_ref"),
        ("part", "given_back"),
        "brand",
        ("cancelled", "received"),
    )

    part = row_column(
        "Gross", lambda row: "All of it" if row.gross is None else str(row.gross)
    )
    given_back = row_column(
        "Given back to a sale",
        lambda row: str(row.reversal.net) if hasattr(row, "reversal") else "-",
    )
    cancelled = column(
        "cancelled_at", "Cancelled", show=moment, ordering="cancelled_at"
    )
    received = column("received_at", "Received", show=moment)
