from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html_join
from djmoney.money import Money

from affiliates.adapter import Reference
from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline, display
from affiliates.admin_tools.columns import host_link, moment, row_link
from affiliates.sales.models import InvoicePayment, InvoiceRefund, Sale, SaleReversal
from affiliates.sales.rules import SaleStatus
from affiliates.sales.selectors import net_after_reversals

SALE_COLOURS = {
    SaleStatus.RECORDED: "success",
    SaleStatus.HELD: "warning",
}


class InvoiceLink:
    @admin.display(description="Invoice")
    def invoice(self, row: Sale | InvoicePayment | InvoiceRefund) -> str:
        return host_link(Reference.INVOICE, row.invoice_ref)


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
    hide_title = True
    fields = ("refund", "net", "recorded")
    readonly_fields = ("recorded",)
    related = ("refund",)

    @admin.display(description="Recorded")
    def recorded(self, reversal: SaleReversal) -> str:
        return moment(reversal.recorded_at)


@admin.register(Sale)
class SaleAdmin(InvoiceLink, ReadOnlyAdmin):
    about = "Paid invoices that an affiliate is credited for, one sale an invoice."
    list_display = ("invoice_ref", "affiliate", "net", "coloured_status", "paid")
    list_filter = ("brand", "status", "reason")
    list_select_related = ("affiliate",)
    date_hierarchy = "paid_at"
    search_fields = (
        "invoice_ref",
        "affiliate__code",
        "payment__payment_ref",
        "order_referral__order_ref",
    )
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

    @display(description="Status", ordering="status", label=SALE_COLOURS)
    def coloured_status(self, sale: Sale) -> tuple[str, str]:
        return sale.status, SaleStatus(sale.status).label

    @admin.display(description="Lines, net")
    def paid_lines(self, sale: Sale) -> str:
        return lines_text(sale.payment)

    @admin.display(description="Net after refunds")
    def net_left(self, sale: Sale) -> str:
        return str(net_after_reversals(sale))

    @admin.display(description="Order")
    def story(self, sale: Sale) -> str:
        text = f"The story of order {sale.order_referral.order_ref}"
        return row_link("orderreferral", sale.order_referral_id, text)

    @admin.display(description="Paid", ordering="paid_at")
    def paid(self, sale: Sale) -> str:
        return moment(sale.paid_at)

    @admin.display(description="Recorded")
    def recorded(self, sale: Sale) -> str:
        return moment(sale.recorded_at)


@admin.register(InvoicePayment)
class InvoicePaymentAdmin(InvoiceLink, ReadOnlyAdmin):
    about = "Payments as the host told them, also of invoices that credit nobody."
    list_display = ("invoice_ref", "payment_ref", "gross", "credited", "paid")
    list_filter = ("brand",)
    list_select_related = ("sale__affiliate",)
    date_hierarchy = "paid_at"
    search_fields = ("invoice_ref", "order_ref", "payment_ref")
    search_help_text = "Invoice, order or payment"
    fields = (
        ("invoice", "order"),
        ("payment_ref", "gross"),
        ("brand", "credited"),
        ("paid", "received"),
        "paid_lines",
    )

    @admin.display(description="Own affiliate")
    def credited(self, payment: InvoicePayment) -> str:
        sale: Sale | None = getattr(payment, "sale", None)
        return "-" if sale is None else sale.affiliate.code

    @admin.display(description="Order")
    def order(self, payment: InvoicePayment) -> str:
        return host_link(Reference.ORDER, payment.order_ref)

    @admin.display(description="Paid", ordering="paid_at")
    def paid(self, payment: InvoicePayment) -> str:
        return moment(payment.paid_at)

    @admin.display(description="Received")
    def received(self, payment: InvoicePayment) -> str:
        return moment(payment.received_at)

    @admin.display(description="Lines, net")
    def paid_lines(self, payment: InvoicePayment) -> str:
        return lines_text(payment)


@admin.register(InvoiceRefund)
class InvoiceRefundAdmin(InvoiceLink, ReadOnlyAdmin):
    about = "Refunds and chargebacks as the host told them."
    list_display = (
        "refund_ref",
        "invoice_ref",
        "kind",
        "gross",
        "reversed",
        "refunded",
    )
    list_filter = ("brand", "kind")
    list_select_related = ("reversal",)
    date_hierarchy = "refunded_at"
    search_fields = ("refund_ref", "invoice_ref")
    search_help_text = "Refund or invoice"
    fields = (
        ("refund_ref", "kind"),
        ("gross", "reversed"),
        ("invoice", "brand"),
        ("refunded", "received"),
    )

    @admin.display(description="Taken from a sale")
    def reversed(self, refund: InvoiceRefund) -> str:
        reversal: SaleReversal | None = getattr(refund, "reversal", None)
        return "-" if reversal is None else str(-reversal.net)

    @admin.display(description="Refunded", ordering="refunded_at")
    def refunded(self, refund: InvoiceRefund) -> str:
        return moment(refund.refunded_at)

    @admin.display(description="Received")
    def received(self, refund: InvoiceRefund) -> str:
        return moment(refund.received_at)
