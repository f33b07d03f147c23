from __future__ import annotations

from portal.billing.models import Invoice
from portal.clients.models import User
from portal.ids import require_id, require_row


def get_invoice(*, client: User, invoice_id: str) -> Invoice:
    """The client's invoice with its lines. Raises NotFound."""
    return require_row(
        Invoice.objects.filter(
            pk=require_id(invoice_id), client=client, brand_id=client.client_brand_id
        ).prefetch_related("lines")
    )
