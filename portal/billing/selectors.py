from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from portal.billing.models import Invoice
from portal.clients.models import User
from portal.ids import require_id, require_row
from portal.orders.models import Order

MAX_FOUND = 50
INVOICES_PER_PAGE = 50


def list_invoices(*, client: User, page: int) -> list[Invoice]:
    """One page of the client's invoices with their lines, the newest first."""
    start = (page - 1) * INVOICES_PER_PAGE
    return list(_invoices_of(client)[start : start + INVOICES_PER_PAGE])


def get_invoice(*, client: User, invoice_id: str) -> Invoice:
    """The client's invoice with its lines. Raises NotFound."""
    return require_row(_invoices_of(client).filter(pk=require_id(invoice_id)))


def with_initial_invoices(orders: Sequence[Order]) -> None:
    """Fill in each one's only ``initial_invoices``, in one query for all."""
    initial = Invoice.objects.filter(renewal_number=0)
    kept = Prefetch("invoices", queryset=initial, to_attr="initial_invoices")
    prefetch_related_objects(orders, kept)


def invoices_numbered(number: str, *, brand_id: int | None) -> QuerySet[Invoice]:
    """The newest first, at most 50: each brand counts its invoices from 1."""
    numbered = Invoice.objects.filter(number=number.strip().upper())
    if brand_id is not None:
        numbered = numbered.filter(brand_id=brand_id)
    return numbered.order_by("-pk")[:MAX_FOUND]


def _invoices_of(client: User) -> QuerySet[Invoice]:
    invoices = Invoice.objects.filter(client=client, brand_id=client.client_brand_id)
    return invoices.prefetch_related("lines")
