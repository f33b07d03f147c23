"""What is sent to a tracking integration of an invoice: its payment and its refunds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

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
