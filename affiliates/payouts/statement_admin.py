from __future__ import annotations

from typing import Any

from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import (
    column,
    moment,
    page_link,
    row_column,
    row_money,
)
from affiliates.admin_tools.theme import register_page
from affiliates.payouts.papers.content import paper_of
from affiliates.payouts.statement_models import PayoutStatement


@register_page(PayoutStatement)
class PayoutStatementAdmin(ReadOnlyAdmin):
    about = (
        "The numbered statement of each payout that was paid, and the credit note of each "
        "that came back. Their numbers have no gaps."
    )
    nothing_yet = "A row appears when a payout is confirmed as paid."
    list_display = (
        "name",
        "brand",
        "kind",
        "of_payout",
        "affiliate",
        "worth",
        "issued",
    )
    list_filter = ("kind", "brand", "currency")
    list_select_related = ("brand", "payout__affiliate")
    search_fields = ("=name", "=payout__pk", "payout__affiliate__code")
    search_help_text = "Number, payout or affiliate's code"
    change_form_outer_before_template = "affiliates/admin/payout_statement.html"
    fields = (
        ("name", "kind"),
        ("brand", "affiliate"),
        ("of_payout", "worth"),
        "issued",
    )

    def beside(self, row: PayoutStatement) -> dict[str, Any]:
        return {"paper": paper_of(row)}

    affiliate = column("payout.affiliate", "Affiliate", show=page_link)
    of_payout = column("payout", "Payout", show=page_link)
    worth = row_column("Amount", row_money)
    issued = column("issued_at", "Issued", show=moment, ordering="id")
