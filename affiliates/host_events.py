"""What the host tells affiliates, and the one thing it may ask: whose Origin this is.

Call these inside the transaction that records the fact on the host's side. Each is
harmless when repeated, and they may come in any order.
"""

from __future__ import annotations

from datetime import datetime

from affiliates.brands import selectors as brands
from affiliates.contracts import PaidInvoice, RefundedInvoice
from affiliates.settlement import services as ledger


def invoice_paid(event: PaidInvoice, *, now: datetime) -> None:
    """An invoice is paid in full: record the sale and what the affiliate earns by it.

    Nothing happens for an invoice that credits nobody. The initial invoice is known by its
    ``invoice_ref``; a renewal (``renewal_number`` above 0) is of the order it names, and
    each renewal is one invoice. A payment that arrives before the conversion of its order
    is kept and counted when the conversion comes. Raises InvalidInput for what cannot be
    kept: see ``affiliates.settlement.services.record_payment``.
    """
    ledger.record_payment(event, now=now)


def invoice_refunded(event: RefundedInvoice, *, now: datetime) -> None:
    """Money went back: reverse the sale of the invoice, and what it earned, in proportion.

    ``refund_ref`` makes a repeat harmless. A refund that arrives before its payment is
    kept and counted when the payment comes.
    """
    ledger.record_refund(event, now=now)


def brand_id_for_origin(origin: str | None) -> int:
    """The brand whose client area has this Origin header.

    Without an Origin (a server-side client area) it is the only active brand. Raises
    InvalidInput ``origin_required`` or NotAllowed ``origin_not_registered``.
    """
    return brands.brand_for_origin_or_only(origin).id
