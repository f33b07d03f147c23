"""Brings a paid invoice in line with its facts: gathers, decides, writes.

The caller holds the lock of the order. What is there already is left as it is.
"""

from __future__ import annotations

from datetime import datetime

from affiliates.sales.selectors import KnownOrder, KnownPayment, order_of
from affiliates.settlement.decision import decide
from affiliates.settlement.deliveries import notify_integration, sale_to_tell
from affiliates.settlement.evidence import gather
from affiliates.settlement.writing import write


def settle(
    known: KnownPayment,
    order: KnownOrder,
    *,
    now: datetime,
    is_given_anew: bool = False,
) -> None:
    """``is_given_anew``: staff gave the order to another affiliate."""
    invoice = gather(known, order, is_given_anew=is_given_anew, now=now)
    if invoice is not None:
        write(invoice, decide(invoice.facts), now=now)
    told = sale_to_tell(order.referral, known)
    if told is not None:
        notify_integration(order.referral, told, now=now)


def settle_known(known: KnownPayment, *, now: datetime) -> None:
    """Settles the payment if its order is converted."""
    order = order_of(known)
    if order is not None:
        settle(known, order, now=now)
