"""Brings a paid invoice in line with its facts: gathers, decides, writes.

The caller holds the lock of the order. What is there already is left as it is.
"""

from __future__ import annotations

from datetime import datetime

from affiliates.sales.known import KnownOrder, KnownPayment, order_of
from affiliates.sales.models import InvoiceRefund, RefundCancellation
from affiliates.settlement.decision import decide
from affiliates.settlement.deliveries import notify_integration
from affiliates.settlement.evidence import gather
from affiliates.settlement.writing import write


def settle(
    known: KnownPayment,
    order: KnownOrder,
    *,
    now: datetime,
    news: InvoiceRefund | RefundCancellation | None = None,
    is_given_anew: bool = False,
) -> None:
    """``news`` is the refund or cancellation that is known since now.

    ``is_given_anew``: staff gave the order to another affiliate.
    """
    invoice = gather(known, order, is_given_anew=is_given_anew, now=now)
    if invoice is not None:
        write(invoice, decide(invoice.facts), now=now)
    notify_integration(order.referral, known, news=news, now=now)


def settle_known(
    known: KnownPayment,
    *,
    news: InvoiceRefund | RefundCancellation | None = None,
    now: datetime,
) -> None:
    """Settles the payment if its order is converted."""
    order = order_of(known)
    if order is not None:
        settle(known, order, news=news, now=now)
