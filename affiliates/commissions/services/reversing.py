"""What refunds and chargebacks take back of a sale's commission."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from affiliates.commissions import rules
from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus, StepReason
from affiliates.commissions.services.locks import lock_commissions
from affiliates.commissions.services.steps import announce_events
from affiliates.core.money import from_minor, to_minor
from affiliates.ledger.rules import Account, Movement, PostingKind
from affiliates.ledger.services import post
from affiliates.sales.models import Sale, SaleReversal
from affiliates.sales.rules import reversal_amounts


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
    in_order = sorted(sale_reversals, key=lambda one: one.pk not in settled)
    amounts = reversal_amounts(
        sale_net=from_minor(commission.amount, commission.currency),
        paid_gross=sale.payment.gross,
        refunds=[one.refund.gross for one in in_order],
    )
    reversals = [
        CommissionReversal(
            commission=commission,
            sale_reversal=one,
            amount=-to_minor(taken),
            recorded_at=now,
        )
        for one, taken in zip(in_order, amounts, strict=True)
        if one.pk not in settled
    ]
    if not reversals:
        return
    CommissionReversal.objects.bulk_create(reversals)
    post([_movement(commission, one) for one in reversals if one.amount], now=now)
    _write_steps(commission, reversals, sum(settled.values()), now=now)


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
        refund = reversal.sale_reversal.refund
        event = CommissionEvent(
            commission=commission,
            before=before,
            after=after,
            reason=StepReason(refund.kind),
            reason_details={
                "refund": refund.refund_ref,
                "amount": -reversal.amount,
                "currency": commission.currency,
            },
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
