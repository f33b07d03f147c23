"""Brings a paid invoice in line with its facts: gathers, decides, writes.

The caller holds the lock of the order. What is there already is left as it is.
"""

from __future__ import annotations

from datetime import datetime

from affiliates.referrals.models import OrderReferral
from affiliates.sales.known import KnownOrder, KnownPayment, NewFact, order_of
from affiliates.settlement.decision import decide
from affiliates.settlement.evidence import gather
from affiliates.settlement.writing import write


def settle(
    known: KnownPayment,
    order: KnownOrder,
    *,
    new_fact: NewFact | None = None,
    reassigned_from: OrderReferral | None = None,
    now: datetime,
) -> None:
    """``new_fact`` is the payment, refund or cancellation that was stored just now.

    ``reassigned_from`` is the order's referral before staff gave it to another
    affiliate.
    """
    invoice = gather(
        known, order, new_fact=new_fact, reassigned_from=reassigned_from, now=now
    )
    if invoice is not None:
        write(invoice, decide(invoice.facts), now=now)


def settle_known(
    known: KnownPayment, *, new_fact: NewFact | None = None, now: datetime
) -> None:
    """Settles the payment if its order is converted."""
    order = order_of(known)
    if order is not None:
        settle(known, order, new_fact=new_fact, now=now)
