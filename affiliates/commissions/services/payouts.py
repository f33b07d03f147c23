"""The effects of a payout on the commissions it pays."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from django.db import transaction

from affiliates.commissions import rules
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus, StepReason, Why
from affiliates.commissions.selectors import taken_back_of
from affiliates.commissions.services.locks import lock_affiliates, lock_own_commissions
from affiliates.commissions.services.steps import CommissionStep, take_steps


class PayoutLike(Protocol):
    """``affiliates.payouts.models.Payout``, which is layered above commissions."""

    pk: int
    affiliate_id: int
    currency: str


@transaction.atomic
def claim_for_payout(payout: PayoutLike, *, now: datetime) -> int:
    """Puts the affiliate's approved commissions of the currency into the payout.

    Returns how many. The caller locks the affiliate (``lock_affiliates``) before it
    reads the payable balance: from then on nothing else is approved.
    """
    lock_affiliates([payout.affiliate_id])
    ids = Commission.objects.filter(
        affiliate_id=payout.affiliate_id,
        currency=payout.currency,
        status=CommissionStatus.APPROVED,
        payout__isnull=True,
        amount__gt=0,
    ).values_list("pk", flat=True)
    claimed = lock_own_commissions(list(ids))
    Commission.objects.filter(pk__in=[commission.pk for commission in claimed]).update(
        payout_id=payout.pk
    )
    why = Why(StepReason.IN_PAYOUT, {"payout": payout.pk})
    take_steps(
        [
            CommissionStep(commission, CommissionStatus.APPROVED, why)
            for commission in claimed
        ],
        actor_id=None,
        now=now,
    )
    return len(claimed)


@transaction.atomic
def mark_paid(payout: PayoutLike, *, actor_id: Any, now: datetime) -> int:
    """Marks the payout's commissions as paid. Returns how many."""
    why = Why(StepReason.PAID, {"payout": payout.pk})
    steps = [
        CommissionStep(commission, CommissionStatus.PAID, why)
        for commission in _in_payout(payout, CommissionStatus.APPROVED)
    ]
    take_steps(steps, actor_id=actor_id, now=now)
    return len(steps)


@transaction.atomic
def return_from_payout(payout: PayoutLike, *, now: datetime) -> int:
    """Frees the commissions of a rejected payout for the next one. Returns how many.

    A commission that refunds took back meanwhile is reversed.
    """
    return _take_out(payout, CommissionStatus.APPROVED, now=now)


@transaction.atomic
def take_from_paid(payout: PayoutLike, *, now: datetime) -> int:
    """Frees the commissions of a paid payout whose money came back for the next one."""
    return _take_out(payout, CommissionStatus.PAID, now=now)


def _take_out(payout: PayoutLike, status: CommissionStatus, *, now: datetime) -> int:
    commissions = _in_payout(payout, status)
    taken = taken_back_of([commission.pk for commission in commissions])
    came_back = status is CommissionStatus.PAID
    reason = StepReason.PAYOUT_RETURNED if came_back else StepReason.PAYOUT_REJECTED
    steps = []
    for commission in commissions:
        left = commission.amount + taken.get(commission.pk, 0)
        after = rules.judge_reversed(
            CommissionStatus.APPROVED, left=left, is_in_payout=False
        )
        why = Why(reason, {"payout": payout.pk})
        if after is CommissionStatus.REVERSED:
            why = Why(StepReason.TAKEN_BACK)
        steps.append(CommissionStep(commission, after, why))
    # Status first: the constraint requires a payout while the status is paid.
    take_steps(steps, actor_id=None, now=now)
    Commission.objects.filter(payout_id=payout.pk).update(payout_id=None)
    return len(steps)


def _in_payout(payout: PayoutLike, status: CommissionStatus) -> list[Commission]:
    ids = Commission.objects.filter(payout_id=payout.pk).values_list("pk", flat=True)
    return [
        commission
        for commission in lock_own_commissions(list(ids))
        if commission.status == status
    ]
