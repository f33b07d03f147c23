from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from affiliates.adapter import Reference
from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import (
    client_link,
    coloured_column,
    column,
    host_link,
    invoice_link,
    moment,
    money_text,
    page_link,
    row_column,
)
from affiliates.admin_tools.heads import HasHead, Head
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.commissions.admin import STATUS_COLOURS
from affiliates.core.money import rounded, to_minor
from affiliates.order_story.selectors import order_story
from affiliates.referrals.admin import tracked_by
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.models import InvoicePayment
from affiliates.settlement.admin import AssignPage

OUTCOME_COLOURS: dict[str, str] = {
    Outcome.CREDITED: "success",
    Outcome.HELD: "warning",
    Outcome.THIRD_PARTY: "info",
    Outcome.NOBODY: "default",
}


def _paid_text(referral: OrderReferral) -> str:
    """The payment of the order's first invoice, which the list has fetched."""
    payment: InvoicePayment | None = referral.payment  # type: ignore[attr-defined] # prepare_rows
    if payment is None:
        return "-"
    gross = rounded(payment.gross)
    return money_text(to_minor(gross), gross.currency.code)


@register_page(OrderReferral)
class OrderReferralAdmin(HasHead, AssignPage, ReadOnlyAdmin):
    about = "Every converted order and whom it is credited to. Open one for its story."
    list_display = (
        "invoice_number",
        "client_email",
        "brand",
        "result",
        "affiliate",
        "paid",
        "tracked",
        "converted",
    )
    ordering = ("-converted_at",)
    sortable_by = ("converted",)
    list_filter = (("converted_at", DaysFilter), "brand", "outcome", "reason")
    list_select_related = ("brand", "client", "affiliate", "integration")
    search_fields = (
        search.orders(),
        search.invoices(),
        search.affiliates(),
        search.exactly("external_affiliate", "click_id"),
        search.clients(),
    )
    search_parts = (search.clients_like(),)
    invoice_path = "invoice_ref"
    search_help_text = "Order, invoice, affiliate or the client's e-mail address"
    change_form_outer_before_template = "affiliates/admin/order_story.html"
    fields = (("brand", "cookie_kept"), ("click_id", "clicked"))

    invoice_number = column("invoice_number", "Invoice")
    client_email = column("client", "Client", show=client_link)
    paid = row_column("Paid", _paid_text)
    result = coloured_column("outcome", "Decision", OUTCOME_COLOURS)
    tracked = row_column("Tracking integration", tracked_by)
    converted = column(
        "converted_at", "Converted", show=moment, ordering="converted_at"
    )
    clicked = column("touched_at", "Winning click", show=moment)

    @admin.display(description="Valid cookie sent", boolean=True)
    def cookie_kept(self, referral: OrderReferral) -> bool:
        """Not the cookie itself: with it anybody could pose as the visitor."""
        return referral.referral_cookie != ""

    def prepare_rows(self, rows: list[Any]) -> None:
        super().prepare_rows(rows)
        first = {(row.brand_id, row.invoice_ref): row for row in rows}
        found = InvoicePayment.objects.filter(
            brand__in={brand for brand, _ in first},
            invoice_ref__in={ref for _, ref in first},
        )
        payments = {
            (payment.brand_id, payment.invoice_ref): payment
            for payment in found.defer("lines")
        }
        for key, row in first.items():
            row.payment = payments.get(key)

    def head_of(self, request: HttpRequest, row: OrderReferral) -> Head:
        return Head(
            name=f"Order {row}",
            status=row.get_outcome_display(),
            colour=OUTCOME_COLOURS[row.outcome],
            amount=_paid_text(row),
            facts=[
                ("Affiliate", row.affiliate and page_link(row.affiliate)),
                ("Client", client_link(row.client)),
                ("Converted", moment(row.converted_at)),
            ],
        )

    def beside(self, row: OrderReferral) -> dict[str, Any]:
        story = order_story(row)
        return {
            "story": story,
            "steps": [(event, *event.kind.value) for event in story.events],
            "commissions": [
                (commission, STATUS_COLOURS[commission.commission.status])
                for commission in story.commissions
            ],
            "outcome_colour": OUTCOME_COLOURS[row.outcome],
            "order_link": host_link(Reference.ORDER, row.order_ref),
            "invoice_link": invoice_link(row),
            "client_link": client_link(row.client),
            "affiliate": row.affiliate,
        }
