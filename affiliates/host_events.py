"""Events that the host reports, and questions about brands and codes.

Call these inside the transaction that records the fact on the host's side. Each is
harmless when repeated, and they may come in any order. An error of ``affiliates.errors``
is raised before anything is written: the transaction may go on. Any other error of an
order, payment, refund or cancellation ends it.
"""

from __future__ import annotations

from datetime import datetime

from affiliates.brands import selectors as brands
from affiliates.contracts import (
    CancelledRefund,
    ClientRegistered,
    CredentialsChanged,
    OrderPlaced,
    PaidInvoice,
    RefundedInvoice,
)
from affiliates.errors import NotFound
from affiliates.membership import credentials
from affiliates.privacy.erasure import services as erasure
from affiliates.referrals import services as referrals
from affiliates.referrals.rules.types import EventResult
from affiliates.referrals.typed_codes import find_typed_code
from affiliates.settlement import refunds
from affiliates.settlement import services as settlement
from affiliates.telemetry.spans import traced


@traced("affiliates.client_registered")
def client_registered(
    event: ClientRegistered, *, referral_cookie: str | None, now: datetime
) -> EventResult:
    """A client registered without our endpoints: binds it to the cookie's sender.

    The first cookie stands, and clicks after ``registered_at`` do not count: so it may
    be called again, at each social login for example. Call it before the client's first
    ``order_placed``: an order is decided once. A client of an inactive brand is not
    bound. Raises NotFound for a client that ``get_client`` does not know, and for an id
    that no brand has; NotAllowed for a client of another brand.
    """
    return referrals.record_registration(
        event, referral_cookie=referral_cookie, now=now
    )


@traced("affiliates.order_placed")
def order_placed(
    event: OrderPlaced, *, referral_cookie: str | None, now: datetime
) -> EventResult:
    """An order was placed without our endpoints: decides who is credited for it.

    Decided by the cookie, the client's binding and the coupon codes, as of
    ``placed_at``. The first call stands. Payments and refunds of the order that were
    reported before count from now. An order of an inactive brand is credited to nobody.
    Raises as ``client_registered``; StateConflict if the order is known with another
    initial invoice or client, or the invoice with another order; InvalidInput for
    references of more than 64 characters.
    """
    return settlement.place_order(event, referral_cookie=referral_cookie, now=now)


@traced("affiliates.invoice_paid")
def invoice_paid(event: PaidInvoice, *, now: datetime) -> None:
    """An invoice is paid in full: records the sale and the affiliate's commission.

    Nothing happens for an invoice that credits nobody. The initial invoice is found by
    its ``invoice_ref``; a renewal (``renewal_number`` above 0) belongs to the order it
    names, and each renewal is one invoice. A payment that arrives before the conversion
    of its order is stored and counted when the conversion comes. While the brand is
    inactive, the commission of an earlier order is held for staff. Raises NotFound for
    an id that no brand has, InvalidInput for a payment that cannot be stored: see
    ``affiliates.settlement.services.record_payment``.
    """
    settlement.record_payment(event, now=now)


@traced("affiliates.invoice_refunded")
def invoice_refunded(event: RefundedInvoice, *, now: datetime) -> None:
    """Money went back: reverses the invoice's sale and commission in proportion.

    ``refund_ref`` makes a repeat harmless; InvalidInput if it is known with another
    invoice, kind or amount. A refund that arrives before its payment is stored and
    counted when the payment comes. If that is in another currency, the refund reverses
    nothing until it is reported again, with the same reference, in the payment's
    currency; a refund in another currency than a known payment raises InvalidInput.
    """
    refunds.record_refund(event, now=now)


@traced("affiliates.refund_cancelled")
def refund_cancelled(event: CancelledRefund, *, now: datetime) -> None:
    """A refund or chargeback was undone: restores what it reversed.

    ``cancellation_ref`` makes a repeat harmless; InvalidInput if it is known with
    another refund or amount, and for a part that is more than what is still refunded,
    or in another currency. A cancellation that arrives before its refund, or before the
    payment, is stored and counted when that comes; any excess over the refund then has
    no effect.
    """
    refunds.record_cancellation(event, now=now)


@traced("affiliates.credentials_changed")
def credentials_changed(event: CredentialsChanged, *, now: datetime) -> None:
    """A client's password, address or second factor changed, or its sessions ended.

    If the client is an affiliate, its API keys and staff's views of its area end, and a
    changed password or address restarts the cool-off of its payouts; a changed second
    factor does neither. The affiliate is notified by e-mail, also at the former address.
    Nothing happens for other clients.
    End the host's own sessions and tokens yourself. Raises NotFound for a client that
    ``get_client`` does not know.
    """
    credentials.record_change(event, now=now)


@traced("affiliates.client_erased")
def client_erased(
    *, brand_id: int, client_id: str, email: str = "", reason: str = "", now: datetime
) -> None:
    """The host erases a client: empties what the tables of affiliates hold of it.

    ``email`` is the client's address: applications and e-mails are found by it. The
    books stay, under the client's id. Afterwards the host may delete the account. A
    repeat is harmless. Raises NotFound for an unknown brand; StateConflict, and changes
    nothing, if something must be settled first: the client is an active affiliate or has
    a balance, or a sale is not yet sent to a tracking integration.
    """
    erasure.erase_client(
        brand_id=brand_id, client_id=client_id, email=email, reason=reason, now=now
    )


def brand_id_for_origin(origin: str | None) -> int:
    """The brand whose client area has this Origin header.

    Without an Origin (a server-side client area) it is the only active brand, not
    counting test brands. Raises InvalidInput ``origin_required``, also for None as soon
    as there is a second brand, or NotAllowed ``origin_not_registered``. A host with one
    brand should store the id instead.
    """
    return brands.brand_for_origin_or_only(origin).id


def is_affiliate_code(code: str, *, brand_id: int) -> bool:
    """Whether the text that a client typed is an active affiliate's code of the brand.

    Ask it for a text that is no coupon of the host, and pass the text on as
    ``affiliate_code`` of the order: it credits the affiliate and takes nothing off. Limit
    how often a client may try.
    """
    return find_typed_code(code, brand_id=brand_id) is not None


def has_own_program(brand_id: int) -> bool:
    """Whether the brand is active and runs its own program: link to its page if so."""
    try:
        return brands.get_brand(brand_id).terms.own_program
    except NotFound:
        return False
