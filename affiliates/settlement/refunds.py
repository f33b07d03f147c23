"""Refunds and their cancellations as facts, each known by its reference."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moneyed import Money

from affiliates.brands.selectors import reported_brand
from affiliates.contracts import CancelledRefund, RefundedInvoice
from affiliates.db.records import insert_once
from affiliates.db.transactions import joins_transaction
from affiliates.errors import InvalidInput
from affiliates.sales.invoice_lines import (
    SMALLEST_AMOUNT,
    as_kept,
    named_of,
    require_amount,
    require_references,
)
from affiliates.sales.known import KnownPayment, payment_of, with_refund
from affiliates.sales.models import InvoiceRefund, RefundCancellation
from affiliates.sales.selectors import still_refunded
from affiliates.settlement.locks import lock_invoice, lock_references
from affiliates.settlement.settle import settle_known


@joins_transaction
def record_refund(event: RefundedInvoice, *, now: datetime) -> None:
    """Stores the refund and reverses the sale in proportion. A repeat changes nothing.

    A refund that came before its payment, in another currency, reverses nothing until
    it is reported again in the payment's. Raises NotFound for an unknown brand, and
    InvalidInput unless the amount is positive and in the payment's currency, for a
    reference of another refund, and for references beyond the contract's limits.
    """
    reported_brand(event.brand_id)
    require_references(event.invoice_ref, event.refund_ref, event.payment_ref)
    _require_above_zero(event.gross, "A refund must be above zero.")
    lock_invoice(event.brand_id, event.invoice_ref, refund=event.refund_ref)
    refund = InvoiceRefund(
        brand_id=event.brand_id,
        invoice_ref=event.invoice_ref,
        refund_ref=event.refund_ref,
        kind=event.kind,
        gross=as_kept(event.gross),
        named=named_of(event),
        refunded_at=event.refunded_at.astimezone(UTC),
        received_at=now,
    )
    known = payment_of(event.brand_id, event.invoice_ref, refund_ref=event.refund_ref)
    _require_currency(refund, known)
    if insert_once(refund):
        if known is not None:
            settle_known(with_refund(known, refund), new_fact=refund, now=now)
        return
    new_fact = None
    stored = _stored(refund)
    if _facts(stored) != _facts(refund):
        new_fact = _corrected(stored, refund, known, now=now)
    known = payment_of(refund.brand_id, refund.invoice_ref)
    if known is not None:
        settle_known(known, new_fact=new_fact, now=now)


@joins_transaction
def record_cancellation(event: CancelledRefund, *, now: datetime) -> None:
    """Stores the cancellation and restores the amount. A repeat changes nothing.

    Raises NotFound for an unknown brand; InvalidInput for a reference of another
    cancellation; for an amount that is not positive, in another currency than the refund
    or more than is still refunded; and for references beyond the contract's limits.
    """
    reported_brand(event.brand_id)
    require_references(event.refund_ref, event.cancellation_ref)
    if event.gross is not None:
        _require_above_zero(event.gross, "A cancellation must be above zero.")
    lock_references(
        event.brand_id, cancellation=event.cancellation_ref, refund=event.refund_ref
    )
    cancellation = RefundCancellation(
        brand_id=event.brand_id,
        refund_ref=event.refund_ref,
        cancellation_ref=event.cancellation_ref,
        gross=None if event.gross is None else as_kept(event.gross),
        cancelled_at=event.cancelled_at,
        received_at=now,
    )
    if _is_known(cancellation):
        return
    refund = InvoiceRefund.objects.filter(
        brand_id=event.brand_id, refund_ref=event.refund_ref
    ).first()
    if refund is None:
        cancellation.save()
        return
    _require_part_of(refund, cancellation)
    cancellation.save()
    lock_invoice(refund.brand_id, refund.invoice_ref)
    known = payment_of(refund.brand_id, refund.invoice_ref)
    if known is not None:
        settle_known(known, new_fact=cancellation, now=now)


def _require_above_zero(gross: Money, fault: str) -> None:
    require_amount(gross)
    # SQLite would silently ignore an amount that rounds to zero.
    if gross.amount < SMALLEST_AMOUNT:
        raise InvalidInput("invalid_amount", fault)


def _require_currency(refund: InvoiceRefund, known: KnownPayment | None) -> None:
    if known is None or known.payment.gross.currency == refund.gross.currency:
        return
    stored = InvoiceRefund.objects.filter(
        brand_id=refund.brand_id, refund_ref=refund.refund_ref
    ).first()
    if stored is not None and _facts(stored) != _facts(refund):
        raise _refund_exists()
    raise InvalidInput(
        "currency_mismatch", "A refund must be in the currency of the payment."
    )


def _stored(refund: InvoiceRefund) -> InvoiceRefund:
    return InvoiceRefund.objects.get(
        brand_id=refund.brand_id, refund_ref=refund.refund_ref
    )


def _facts(refund: InvoiceRefund) -> tuple[str, str, Money, Mapping[str, Any]]:
    return refund.invoice_ref, refund.kind, refund.gross, refund.named


def _refund_exists() -> InvalidInput:
    return InvalidInput(
        "refund_exists",
        "Another refund has this reference: of another invoice, kind, amount, line or "
        "payment.",
    )


def _corrected(
    stored: InvoiceRefund,
    refund: InvoiceRefund,
    known: KnownPayment | None,
    *,
    now: datetime,
) -> InvoiceRefund:
    """Requires that only ``refund`` has the currency of the payment, known since."""
    if (
        known is None
        or stored.invoice_ref != refund.invoice_ref
        or stored.gross.currency == refund.gross.currency
    ):
        raise _refund_exists()
    return stored.change(
        kind=refund.kind,
        gross=refund.gross,
        gross_currency=refund.gross.currency.code,
        named=refund.named,
        refunded_at=refund.refunded_at,
        received_at=now,
    )


def _is_known(cancellation: RefundCancellation) -> bool:
    stored = RefundCancellation.objects.filter(
        brand_id=cancellation.brand_id, cancellation_ref=cancellation.cancellation_ref
    ).first()
    if stored is None:
        return False
    if (stored.refund_ref, stored.gross) != (
        cancellation.refund_ref,
        cancellation.gross,
    ):
        raise InvalidInput(
            "cancellation_exists",
            "Another cancellation has this reference: of another refund or amount.",
        )
    return True


def _require_part_of(refund: InvoiceRefund, cancellation: RefundCancellation) -> None:
    if cancellation.gross is None:
        return
    if cancellation.gross.currency != refund.gross.currency:
        raise InvalidInput(
            "currency_mismatch", "A cancellation must be in the currency of its refund."
        )
    left = still_refunded(refund)
    if cancellation.gross > left:
        raise InvalidInput(
            "exceeds_refund", f"Only {left} of this refund is still refunded."
        )
