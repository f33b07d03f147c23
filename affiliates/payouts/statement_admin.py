from __future__ import annotations

from datetime import date
from typing import Any

from django.utils.formats import date_format

from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import (
    column,
    moment,
    page_link,
    row_column,
    row_money,
)
from affiliates.admin_tools.theme import register_page
from affiliates.payouts.models import PayoutDestination
from affiliates.payouts.selectors import statement_lines
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
        return {
            "statement": row,
            "paid_to": PayoutDestination(**row.document["destination"]),
            "lines": [
                (name, _as_read(day), amount)
                for name, day, amount in statement_lines(row)
            ],
        }

    affiliate = column("payout.affiliate", "Affiliate", show=page_link)
    of_payout = column("payout", "Payout", show=page_link)
    worth = row_column("Amount", row_money)
    issued = column("issued_at", "Issued", show=moment, ordering="id")


def _as_read(day: str) -> str:
    """A day of a document as the pages write it; the carried amount has none."""
    return date_format(date.fromisoformat(day), "j M Y") if day else ""
