"""What a tracking integration is told of an invoice: its payment and its refunds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from moneyed import Money

from affiliates.integrations.delivery.services import queue_reversal, queue_sale
from affiliates.integrations.types import ReversalKind
from affiliates.referrals.models import OrderReferral
from affiliates.sales import rules
from affiliates.sales.models import InvoicePayment, InvoiceRefund


def tell_integration(
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
    queue_sale(
        integration_id=referral.integration_id,
        invoice_ref=payment.invoice_ref,
        visitor_ref=referral.external_visitor_id,
        amount=net.amount,
        currency=net.currency.code,
        product_ref=payment.lines[0]["product_ref"] if payment.lines else "",
        customer_ref=str(referral.client_id),
        paid_at=payment.paid_at,
        affiliate=referral.external_affiliate,
        ip=referral.external_ip,
        user_agent=referral.external_user_agent,
        now=now,
    )
    nothing = refunded = Money(0, payment.gross.currency)
    whole = rules.reversal_amount(
        sale_net=net,
        paid_gross=payment.gross,
        refunded_before=nothing,
        refund=payment.gross,
    )
    for refund in refunds:
        taken = rules.reversal_amount(
            sale_net=net,
            paid_gross=payment.gross,
            refunded_before=refunded,
            refund=refund.gross,
        )
        refunded += refund.gross
        if taken.amount == 0:
            continue
        queue_reversal(
            integration_id=referral.integration_id,
            invoice_ref=payment.invoice_ref,
            refund_ref=refund.refund_ref,
            visitor_ref=referral.external_visitor_id,
            kind=ReversalKind(refund.kind),
            amount=None if taken == whole else taken.amount,
            currency=net.currency.code,
            refunded_at=refund.refunded_at,
            now=now,
        )
