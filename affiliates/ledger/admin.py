from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from djmoney.money import Money
from unfold.decorators import display

from affiliates.adapter import Reference
from affiliates.brands.admin_tools import (
    ReadOnlyAdmin,
    ReadOnlyInline,
    client_email_path,
    client_link,
    host_link,
    moment,
)
from affiliates.ledger.models import (
    InvoicePayment,
    InvoiceRefund,
    Sale,
    SaleLine,
    SaleReversal,
)
from affiliates.ledger.rules import SaleStatus
from affiliates.ledger.selectors import EventKind, net_after_reversals, order_story
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules import Outcome

OUTCOME_COLOURS = {
    Outcome.CREDITED.value: "success",
    Outcome.HELD.value: "warning",
    Outcome.NOBODY.value: "default",
}
SALE_COLOURS = {
    SaleStatus.RECORDED.value: "success",
    SaleStatus.HELD.value: "warning",
}


# The icon and the tone of each step.
MARKS = {
    EventKind.VISIT: ("ads_click", ""),
    EventKind.SIGNUP: ("person_add", ""),
    EventKind.CONVERSION: ("receipt_long", ""),
    EventKind.PAYMENT: ("payments", ""),
    EventKind.SALE: ("sell", "good"),
    EventKind.SALE_HELD: ("pause", ""),
    EventKind.NO_SALE: ("block", "bad"),
    EventKind.REFUND: ("undo", "bad"),
    EventKind.CHARGEBACK: ("gavel", "bad"),
}


class InvoiceLink:
    @admin.display(description="Invoice")
    def invoice(self, row: Sale | InvoicePayment | InvoiceRefund) -> str:
        return host_link(Reference.INVOICE, row.invoice_ref)


@admin.register(OrderReferral)
class OrderReferralAdmin(ReadOnlyAdmin):
    about = "Every converted order and whom it is credited to. Open one for its story."
    list_display = ("order_ref", "client_email", "result", "affiliate", "converted")
    list_filter = ("brand", "outcome", "reason")
    list_select_related = ("client", "affiliate")
    search_fields = (
        "order_ref",
        "invoice_ref",
        "affiliate__code",
        client_email_path("client"),
    )
    search_help_text = "Order, invoice, affiliate's code or the client's e-mail address"
    change_form_outer_before_template = "affiliates/admin/order_story.html"
    fields = (("brand", "cookie_kept"), ("click_id", "clicked"))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        referral = self.get_object(request, object_id)
        if referral is not None and self.has_view_permission(request, referral):
            extra_context = {**(extra_context or {}), **_story_context(referral)}
        page: HttpResponse = super().change_view(
            request, object_id, form_url, extra_context
        )
        return page

    @admin.display(description="Client")
    def client_email(self, referral: OrderReferral) -> str:
        return client_link(referral.client)

    @display(description="Decision", ordering="outcome", label=OUTCOME_COLOURS)
    def result(self, referral: OrderReferral) -> tuple[str, str]:
        return referral.outcome, referral.get_outcome_display()

    @admin.display(description="Converted", ordering="id")
    def converted(self, referral: OrderReferral) -> str:
        return moment(referral.converted_at)

    @admin.display(description="Winning click")
    def clicked(self, referral: OrderReferral) -> str:
        return moment(referral.touched_at)

    @admin.display(description="Valid cookie sent", boolean=True)
    def cookie_kept(self, referral: OrderReferral) -> bool:
        """Not the cookie itself: whoever has it passes for the visitor."""
        return referral.referral_cookie != ""


class SaleLineInline(ReadOnlyInline):
    model = SaleLine
    verbose_name_plural = "lines"
    hide_title = True
    fields = ("description", "kind", "billing_cycle", "quantity", "net")


class SaleReversalInline(ReadOnlyInline):
    model = SaleReversal
    verbose_name_plural = "taken back by refunds"
    hide_title = True
    fields = ("refund", "net", "recorded")
    readonly_fields = ("recorded",)

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
    inlines = (SaleLineInline, SaleReversalInline)
    fields = (
        ("affiliate", "brand"),
        ("status", "reason"),
        ("net", "net_left"),
        ("story", "invoice"),
        ("paid", "recorded"),
    )

    @display(description="Status", ordering="status", label=SALE_COLOURS)
    def coloured_status(self, sale: Sale) -> tuple[str, str]:
        return sale.status, SaleStatus(sale.status).label

    @admin.display(description="Net after refunds")
    def net_left(self, sale: Sale) -> str:
        return str(net_after_reversals(sale))

    @admin.display(description="Order")
    def story(self, sale: Sale) -> str:
        page = reverse(
            f"{self.admin_site.name}:affiliates_orderreferral_change",
            args=[sale.order_referral_id],
        )
        return format_html(
            '<a href="{}" class="text-link">The story of order {}</a>',
            page,
            sale.order_referral.order_ref,
        )

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

    @admin.display(description="Credited to")
    def credited(self, payment: InvoicePayment) -> str:
        sale: Sale | None = getattr(payment, "sale", None)
        return "Nobody" if sale is None else sale.affiliate.code

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


def _story_context(referral: OrderReferral) -> dict[str, Any]:
    story = order_story(referral)
    return {
        "story": story,
        "steps": [(event, *MARKS[event.kind]) for event in story.events],
        "outcome_colour": OUTCOME_COLOURS[referral.outcome],
        "order_link": host_link(Reference.ORDER, referral.order_ref),
        "invoice_link": host_link(Reference.INVOICE, referral.invoice_ref),
        "client_link": client_link(referral.client),
        "affiliate": referral.affiliate,
    }
