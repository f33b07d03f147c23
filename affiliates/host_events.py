"""What the host tells affiliates, and the one thing it may ask: whose Origin this is.

Call these inside the transaction that records the fact on the host's side. Each is
harmless when repeated, and they may come in any order.
"""

from __future__ import annotations

from datetime import datetime

from affiliates.brands import selectors as brands
from affiliates.contracts import (
    ClientRegistered,
    EventResult,
    OrderPlaced,
    PaidInvoice,
    RefundedInvoice,
)
from affiliates.referrals import services as referrals
from affiliates.settlement import services as settlement


def client_registered(
    event: ClientRegistered, *, referral_cookie: str | None, now: datetime
) -> EventResult:
    """A client registered without our endpoints: bind it to whoever the cookie names.

    The first cookie stands, and what was clicked after ``registered_at`` counts for
    nothing: so it may be called again, at each social login for example. Call it before
    the client's first ``order_placed``: an order is decided once. Raises NotFound for a
    client that ``get_client`` does not know, and for an inactive brand; NotAllowed for a
    client of another brand.
    """
    return referrals.record_registration(
        event, referral_cookie=referral_cookie, now=now
    )


def order_placed(
    event: OrderPlaced, *, referral_cookie: str | None, now: datetime
) -> EventResult:
    """An order was placed without our endpoints: decide whom it is credited to.

    By the cookie, the client's binding and the coupon codes, as of ``placed_at``. The
    first call stands. Payments and refunds of it that were told before count from now.
    Raises as ``client_registered``; StateConflict where the order is known with another
    initial invoice or client, or the invoice as that of another order; InvalidInput for
    references of more than 64 characters.
    """
    return settlement.place_order(event, referral_cookie=referral_cookie, now=now)


def invoice_paid(event: PaidInvoice, *, now: datetime) -> None:
    """An invoice is paid in full: record the sale and what the affiliate earns by it.

    Nothing happens for an invoice that credits nobody. The initial invoice is known by its
    ``invoice_ref``; a renewal (``renewal_number`` above 0) is of the order it names, and
    each renewal is one invoice. A payment that arrives before the conversion of its order
    is kept and counted when the conversion comes. Raises InvalidInput for what cannot be
    kept: see ``affiliates.settlement.services.record_payment``.
    """
    settlement.record_payment(event, now=now)


def invoice_refunded(event: RefundedInvoice, *, now: datetime) -> None:
    """Money went back: reverse the sale of the invoice, and what it earned, in proportion.

    ``refund_ref`` makes a repeat harmless. A refund that arrives before its payment is
    kept and counted when the payment comes.
    """
    settlement.record_refund(event, now=now)


def brand_id_for_origin(origin: str | None) -> int:
    """The brand whose client area has this Origin header.

    Without an Origin (a server-side client area) it is the only active brand. Raises
    InvalidInput ``origin_required`` or NotAllowed ``origin_not_registered``.
    """
    return brands.brand_for_origin_or_only(origin).id
