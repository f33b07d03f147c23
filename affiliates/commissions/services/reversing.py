"""What refunds and chargebacks take back of a sale's commission."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from moneyed import Money

from affiliates.commissions import rules
from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus, StepReason, Why
from affiliates.commissions.services.locks import lock_commissions
from affiliates.commissions.services.steps import announce_events
from affiliates.ledger.rules import Account, Movement, PostingKind
from affiliates.ledger.services import post
from affiliates.sales.models import Sale, SaleReversal


@transaction.atomic
def reverse_commissions(
    sale: Sale, sale_reversals: Sequence[SaleReversal], *, now: datetime
) -> None:
    """Take back the live commission's part of each reversal. A repeat changes nothing.

    ``sale_reversals`` are all of the sale, with their refunds, in the order they were
    kept; the caller holds the order's lock. The running total of the refunds decides, so
    all of them together never take more than the commission. What is paid already, or on
    its way, leaves a negative balance that the next payout is made of.
    """
    if not sale_reversals:
        return
    live = Commission.objects.filter(sale=sale).exclude(
        status=CommissionStatus.REJECTED
    )
    for commission in lock_commissions(live.values_list("pk", flat=True)):
        if CommissionStatus(commission.status).is_live:
            _reverse(commission, sale, sale_reversals, now=now)


def _reverse(
    commission: Commission,
    sale: Sale,
    sale_reversals: Sequence[SaleReversal],
    *,
    now: datetime,
) -> None:
    settled = dict(commission.reversals.values_list("sale_reversal_id", "amount"))
    reversals = _reversals(commission, sale, sale_reversals, settled, now=now)
    if not reversals:
        return
    CommissionReversal.objects.bulk_create(reversals)
    post([_movement(commission, one) for one in reversals if one.amount], now=now)
    _write_steps(commission, reversals, sum(settled.values()), now=now)


def _reversals(
    commission: Commission,
    sale: Sale,
    sale_reversals: Sequence[SaleReversal],
    settled: dict[int, int],
    *,
    now: datetime,
) -> list[CommissionReversal]:
    paid = sale.payment.gross
    refunded = sum(
        (one.refund.gross for one in sale_reversals if one.pk in settled),
        Money(0, paid.currency),
    )
    reversals = []
    for one in sale_reversals:
        if one.pk in settled:
            continue
        taken = rules.taken_back(
            amount=commission.amount,
            currency=commission.currency,
            paid_gross=paid,
            refunded_before=refunded,
            refund=one.refund.gross,
        )
        refunded += one.refund.gross
        reversals.append(
            CommissionReversal(
                commission=commission, sale_reversal=one, amount=-taken, recorded_at=now
            )
        )
    return reversals


def _movement(commission: Commission, reversal: CommissionReversal) -> Movement:
    kind = PostingKind.REVERSED
    return Movement(
        kind=kind,
        key=f"commission:{commission.pk}:{kind}:{reversal.sale_reversal_id}",
        source=CommissionStatus(commission.status).account,
        target=Account.EXPENSE,
        affiliate_id=commission.affiliate_id,
        brand_id=commission.brand_id,
        currency=commission.currency,
        amount=-reversal.amount,
        commission_id=commission.pk,
    )


def _write_steps(
    commission: Commission,
    reversals: Sequence[CommissionReversal],
    taken_before: int,
    *,
    now: datetime,
) -> None:
    left = commission.amount + taken_before
    events = []
    for reversal in reversals:
        if reversal.amount == 0:
            continue
        left += reversal.amount
        before = CommissionStatus(commission.status)
        after = rules.judge_reversed(
            before, left=left, is_in_payout=commission.payout_id is not None
        )
        why = _why(reversal)
        event = CommissionEvent(
            commission=commission,
            before=before,
            after=after,
            reason=why.reason,
            reason_details=dict(why.details),
            at=now,
        )
        events.append((event, left))
        commission.status = after
    if not events:
        return
    CommissionEvent.objects.bulk_create([event for event, _ in events])
    if commission.status == CommissionStatus.REVERSED:
        commission.reason = StepReason.TAKEN_BACK
        commission.reason_details = {}
        commission.save(update_fields=["status", "reason", "reason_details"])
    announce_events(events, now=now)


def _why(reversal: CommissionReversal) -> Why:
    refund = reversal.sale_reversal.refund
    details = {
        "refund": refund.refund_ref,
        "amount": -reversal.amount,
        "currency": reversal.commission.currency,
    }
    return Why(StepReason(refund.kind), details)
