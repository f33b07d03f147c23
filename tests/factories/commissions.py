"""Commissions of every status, each come to by the services that write them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.payouts import (
    claim_for_payout,
    mark_paid,
    return_from_payout,
)
from affiliates.commissions.services.staff import approve, hold, reject
from affiliates.ledger.rules import Account, PostingKind
from affiliates.ledger.services import post
from affiliates.payouts.models import Payout
from tests.factories.books import MovementFactory, PayoutFactory


def bring_to(
    commission: Commission, status: CommissionStatus, *, actor: Any, now: datetime
) -> Commission:
    """Take a pending commission, whose hold is over at ``now``, to this status.

    Its plan wants staff to approve. ``REVERSED`` is not come to here: a refund does that.
    """
    acting = {
        "commission_ids": [commission.pk],
        "actor_id": actor.pk,
        "reason": "For a test",
        "now": now,
    }
    if status is CommissionStatus.HELD:
        hold(**acting)
    elif status is CommissionStatus.REJECTED:
        reject(**acting)
    elif status is not CommissionStatus.PENDING:
        mature_due(now=now)
    if status in (CommissionStatus.APPROVED, CommissionStatus.PAID):
        approve(**acting)
    if status is CommissionStatus.PAID:
        payout = payout_of(commission, now=now)
        pay(payout, actor=actor, now=now)
    commission.refresh_from_db()
    return commission


def payout_of(commission: Commission, *, now: datetime) -> Payout:
    """A requested payout of the affiliate's one approved commission, as the books see it."""
    payout = PayoutFactory(affiliate=commission.affiliate, amount=commission.amount)
    claim_for_payout(payout, now=now)
    _move(payout, PostingKind.PAYOUT_REQUESTED, Account.PAYABLE, Account.CLEARING, now)
    return payout


def pay(payout: Payout, *, actor: Any, now: datetime) -> None:
    mark_paid(payout, actor_id=actor.pk, now=now)
    _move(payout, PostingKind.PAYOUT_PAID, Account.CLEARING, Account.PAID_OUT, now)


def give_back(payout: Payout, *, now: datetime) -> None:
    return_from_payout(payout, now=now)
    _move(payout, PostingKind.PAYOUT_REJECTED, Account.CLEARING, Account.PAYABLE, now)


def _move(
    payout: Payout, kind: PostingKind, source: Account, target: Account, now: datetime
) -> None:
    movement = MovementFactory(
        affiliate=payout.affiliate,
        kind=kind,
        key=f"payout:{payout.pk}:{kind}",
        source=source,
        target=target,
        currency=payout.currency,
        amount=payout.amount,
        payout_id=payout.pk,
    )
    post([movement], now=now)
