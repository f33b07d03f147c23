from __future__ import annotations

from django.db.models import QuerySet

from portal.billing.models import Invoice
from portal.clients.models import User
from portal.ids import require_id, require_row

MAX_FOUND = 50


def get_invoice(*, client: User, invoice_id: str) -> Invoice:
    """The client's invoice with its lines. Raises NotFound."""
    return require_row(
        Invoice.objects.filter(
            pk=require_id(invoice_id), client=client, brand_id=client.client_brand_id
        ).prefetch_related("lines")
    )


def invoices_numbered(number: str, *, brand_id: int | None) -> QuerySet[Invoice]:
    """The newest first, at most 50: each brand counts its invoices from 1."""
    numbered = Invoice.objects.filter(number=number.strip().upper())
    if brand_id is not None:
        numbered = numbered.filter(brand_id=brand_id)
    return numbered.order_by("-pk")[:MAX_FOUND]
