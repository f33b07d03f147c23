"""What is sent to a tracking integration of an invoice: its payment and its refunds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from moneyed import Money

from affiliates.integrations.delivery.selectors import is_reversed
from affiliates.integrations.delivery.services import queue_conversion, queue_reversal
from affiliates.integrations.types import (
    ConversionFacts,
    Operation,
    ReversalFacts,
    ReversalKind,
)
from affiliates.referrals.models import OrderReferral
from affiliates.sales import rules
from affiliates.sales.models import InvoicePayment, InvoiceRefund
from affiliates.sales.selectors import payment_of, refunded_gross


def notify_integration(
    referral: OrderReferral,
    payment: InvoicePayment,
    refunds: Sequence[InvoiceRefund],
    *,
    now: datetime,
) -> None:
    """Queue the sale and every refund of it, where the order names an integration.

    ``refunds`` are all of the payment's currency, in the order they were kept. What is
    queued already stays as it is.
    """
    if referral.integration_id is None:
        return
    net = payment.net
    visitor_ref = referral.external_visitor_id
    sale = _sale_of(referral, payment)
    queue_conversion(referral.integration_id, sale, visitor_ref=visitor_ref, now=now)
    # Of everything that was paid, as one refund, and of each in turn.
    (whole,) = rules.reversal_amounts(
        sale_net=net, paid_gross=payment.gross, refunds=[payment.gross]
    )
    amounts = rules.reversal_amounts(
        sale_net=net, paid_gross=payment.gross, refunds=[one.gross for one in refunds]
    )
    for refund, taken in zip(refunds, amounts, strict=True):
        if taken.amount == 0:
            continue
        reversal = ReversalFacts(
            order_ref=payment.invoice_ref,
            kind=ReversalKind(refund.kind),
            amount=None if taken == whole else taken.amount,
            currency=net.currency.code,
            occurred_at=refund.refunded_at,
        )
        queue_reversal(
            referral.integration_id,
            reversal,
            refund_ref=refund.refund_ref,
            visitor_ref=visitor_ref,
            now=now,
        )


def take_from_integration(
    known: OrderReferral, referral: OrderReferral, *, now: datetime
) -> None:
    """Queue that its sale is taken back where staff's word left it no part in the order.

    ``known`` is the order's referral as it was until then. What refunds took back there
    is not taken twice.
    """
    if known.integration_id is None or referral.integration_id is not None:
        return
    payment = payment_of(known.brand_id, known.invoice_ref)
    if payment is None or is_refunded_whole(payment):
        return
    has_parts = is_reversed(known.integration_id, payment.invoice_ref)
    left = payment.net.amount - _refunded_net(payment)
    reversal = ReversalFacts(
        order_ref=payment.invoice_ref,
        kind=ReversalKind.REFUND,
        amount=left if has_parts else None,
        currency=payment.net.currency.code,
        occurred_at=now,
    )
    queue_reversal(
        known.integration_id,
        reversal,
        refund_ref=f"assigned:{referral.overrides.latest('pk').pk}",
        visitor_ref=known.external_visitor_id,
        now=now,
    )


def is_refunded_whole(payment: InvoicePayment) -> bool:
    """Whether refunds leave nothing of the sale to be taken back."""
    refunded = _refunded_net(payment)
    return refunded > 0 and refunded >= payment.net.amount


def _refunded_net(payment: InvoicePayment) -> Decimal:
    currency = payment.gross.currency
    gross = refunded_gross(payment.brand_id, [payment.invoice_ref])
    taken = rules.reversal_amount(
        sale_net=payment.net,
        paid_gross=payment.gross,
        refunded_before=Money(0, currency),
        refund=Money(gross[payment.invoice_ref, currency.code], currency),
    )
    return taken.amount


def _sale_of(referral: OrderReferral, payment: InvoicePayment) -> ConversionFacts:
    net = payment.net
    return ConversionFacts(
        kind=Operation.SALE,
        order_ref=payment.invoice_ref,
        amount=net.amount,
        currency=net.currency.code,
        product_ref=payment.lines[0]["product_ref"] if payment.lines else "",
        occurred_at=payment.paid_at,
        customer_ref=str(referral.client_id),
        ip=referral.external_ip,
        user_agent=referral.external_user_agent,
        affiliate=referral.external_affiliate,
    )
