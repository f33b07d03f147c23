"""Reverses the commission of a refunded sale, and restores it for a cancellation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from affiliates.commissions import rules
from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus, Judgement, StepReason, Why
from affiliates.commissions.selectors import judgement_before_reversal
from affiliates.commissions.services.locks import lock_commissions
from affiliates.commissions.services.steps import announce_events, mature_at_once
from affiliates.contracts import RefundKind
from affiliates.core.money import from_minor, to_minor
from affiliates.ledger.rules import Account, Movement, PostingKind
from affiliates.ledger.services import post
from affiliates.sales.models import Sale
from affiliates.sales.rules import reversal_amounts
from affiliates.sales.selectors import RefundChange

_CANCELLED = {
    RefundKind.REFUND: StepReason.REFUND_CANCELLED,
    RefundKind.CHARGEBACK: StepReason.CHARGEBACK_CANCELLED,
}


class _Change(NamedTuple):
    """A change of the refunds, and its amount of the commission."""

    change: RefundChange
    reversal: CommissionReversal


@transaction.atomic
def reverse_commissions(
    sale: Sale, changes: Sequence[RefundChange], *, now: datetime
) -> None:
    """Takes or restores the live commission's part of each change. May be repeated.

    ``changes`` are all changes of the sale, each with its reversal; the caller holds
    the order's lock. The running total of refunds decides, so all together never take
    more than the commission. A commission that is paid, or in a payout, leaves a
    negative balance for the next payout. A fully reversed commission gets its earlier
    status back, and continues at once if its hold is over.
    """
    if not changes:
        return
    live = Commission.objects.filter(sale=sale).exclude(
        status=CommissionStatus.REJECTED
    )
    restored = [
        commission
        for commission in lock_commissions(live.values_list("pk", flat=True))
        if CommissionStatus(commission.status).is_live
        and _reverse(commission, sale, changes, now=now)
    ]
    mature_at_once(
        [one for one in restored if one.status == CommissionStatus.PENDING], now=now
    )


def _reverse(
    commission: Commission,
    sale: Sale,
    changes: Sequence[RefundChange],
    *,
    now: datetime,
) -> bool:
    """Returns whether a fully reversed commission has an amount again."""
    settled = dict(commission.reversals.values_list("sale_reversal_id", "amount"))
    in_order = sorted(changes, key=lambda one: one.reversal_id not in settled)
    amounts = reversal_amounts(
        sale_net=from_minor(commission.amount, commission.currency),
        paid_gross=sale.payment.gross,
        refunds=[one.gross for one in in_order],
    )
    added = [
        _Change(
            change,
            CommissionReversal(
                commission=commission,
                sale_reversal_id=change.reversal_id,
                amount=-to_minor(taken),
                recorded_at=now,
            ),
        )
        for change, taken in zip(in_order, amounts, strict=True)
        if change.reversal_id not in settled
    ]
    if not added:
        return False
    CommissionReversal.objects.bulk_create([one.reversal for one in added])
    was_reversed = commission.status == CommissionStatus.REVERSED
    _take_steps(commission, added, sum(settled.values()), now=now)
    return was_reversed and commission.status != CommissionStatus.REVERSED


def _take_steps(
    commission: Commission,
    added: Sequence[_Change],
    taken_before: int,
    *,
    now: datetime,
) -> None:
    """Takes one step for each change with an amount, with its movement."""
    left = commission.amount + taken_before
    why = Why(StepReason(commission.reason), commission.reason_details)
    first = judged = Judgement(CommissionStatus(commission.status), why)
    steps = []
    for one in added:
        if one.reversal.amount == 0:
            continue
        left += one.reversal.amount
        before, judged = judged, _judge(commission, judged, one, left=left)
        event = _event(commission, one, before.status, judged.status, now=now)
        post([_movement(commission, one, before.status, judged.status)], now=now)
        steps.append((event, left))
    if judged is not first:
        commission.status = judged.status
        commission.reason = judged.why.reason
        commission.reason_details = dict(judged.why.details)
        commission.save(update_fields=["status", "reason", "reason_details"])
    announce_events(steps, now=now)


def _judge(
    commission: Commission, judged: Judgement, one: _Change, *, left: int
) -> Judgement:
    is_reversed = judged.status is CommissionStatus.REVERSED
    if one.reversal.amount > 0:
        return judgement_before_reversal(commission) if is_reversed else judged
    is_in_payout = commission.payout_id is not None
    after = rules.judge_reversed(judged.status, left=left, is_in_payout=is_in_payout)
    if after is judged.status:
        return judged
    return Judgement(after, Why(StepReason.TAKEN_BACK))


def _event(
    commission: Commission,
    one: _Change,
    before: CommissionStatus,
    after: CommissionStatus,
    *,
    now: datetime,
) -> CommissionEvent:
    refund = one.change.refund
    is_given_back = one.reversal.amount > 0
    return CommissionEvent.objects.create(
        commission=commission,
        before=before,
        after=after,
        reason=_CANCELLED[RefundKind(refund.kind)]
        if is_given_back
        else StepReason(refund.kind),
        reason_details={
            "refund": refund.refund_ref,
            "amount": abs(one.reversal.amount),
            "currency": commission.currency,
        },
        at=now,
    )


def _movement(
    commission: Commission,
    one: _Change,
    before: CommissionStatus,
    after: CommissionStatus,
) -> Movement:
    kind, source, target = PostingKind.REVERSED, before.account, Account.EXPENSE
    if one.reversal.amount > 0:
        kind, source, target = PostingKind.RESTORED, target, after.account
    return Movement(
        kind=kind,
        key=f"commission:{commission.pk}:{kind}:{one.change.reversal_id}",
        source=source,
        target=target,
        affiliate_id=commission.affiliate_id,
        brand_id=commission.brand_id,
        currency=commission.currency,
        amount=abs(one.reversal.amount),
        commission_id=commission.pk,
    )
