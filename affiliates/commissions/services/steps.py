"""One step in the life of commissions: its event, its posting, its announcement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from affiliates.commissions import rules
from affiliates.commissions.emails import tell_of_events
from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.commissions.rules import CommissionStatus, Judgement, StepReason, Why
from affiliates.commissions.selectors import taken_back_of
from affiliates.commissions.services.adjusting import keep, movement_of
from affiliates.commissions.services.joining import joining_bonuses
from affiliates.core.money import decimal_text
from affiliates.integrations.webhooks.announce import Fact, FactKind, announce
from affiliates.ledger.rules import Movement, PostingKind
from affiliates.ledger.services import post


class CommissionStep(NamedTuple):
    """What a commission becomes, and why. The reason stays on it."""

    commission: Commission
    status: CommissionStatus
    why: Why


def take_steps(
    steps: Sequence[CommissionStep], *, actor_id: Any, now: datetime
) -> None:
    """Write the steps of commissions that the caller has locked, and those of their shares.

    Each moves what is left of its commission, where it moves money at all.
    """
    if not steps:
        return
    steps = [*steps, *_steps_of_shares(steps)]
    taken = taken_back_of([step.commission.pk for step in steps])
    left = {
        step.commission.pk: step.commission.amount + taken.get(step.commission.pk, 0)
        for step in steps
    }
    events = _write_events(steps, actor_id=actor_id, now=now)
    post_events([(event, left[event.commission_id]) for event in events], now=now)
    _store(steps)


def first_events(
    commission: Commission, earned: Why, judgement: Judgement, *, now: datetime
) -> list[CommissionEvent]:
    """It is earned first; where it does not simply wait, that is a step of its own."""
    pending = CommissionStatus.PENDING
    steps = [("", pending, earned)]
    if judgement.status is not pending:
        steps.append((pending, judgement.status, judgement.why))
    return CommissionEvent.objects.bulk_create(
        [
            CommissionEvent(
                commission=commission,
                before=before,
                after=after,
                reason=why.reason,
                reason_details=dict(why.details),
                at=now,
            )
            for before, after, why in steps
        ]
    )


def _steps_of_shares(steps: Sequence[CommissionStep]) -> Iterator[CommissionStep]:
    with_own = {step.commission.pk for step in steps}
    for commission, status, _ in steps:
        share = commission.locked_share
        if share is None or share.pk in with_own:
            continue
        before = CommissionStatus(share.status)
        after = rules.judge_share(
            before,
            StepReason(share.reason),
            is_in_payout=share.payout_id is not None,
            step=(CommissionStatus(commission.status), status),
        )
        if after is not before:
            yield CommissionStep(share, after, Why(StepReason.FOLLOWS))


def _write_events(
    steps: Sequence[CommissionStep], *, actor_id: Any, now: datetime
) -> list[CommissionEvent]:
    """The audit of the steps, with each commission as it was before."""
    return CommissionEvent.objects.bulk_create(
        [
            CommissionEvent(
                commission=step.commission,
                before=step.commission.status,
                after=step.status,
                reason=step.why.reason,
                reason_details=dict(step.why.details),
                actor_id=actor_id,
                at=now,
            )
            for step in steps
        ]
    )


def post_events(
    events: Sequence[tuple[CommissionEvent, int]], *, now: datetime
) -> None:
    """Move the money of each event, and announce it.

    Each comes with what was left of its commission. A joining bonus is posted at once
    with the approval that it is due with: accounts are locked in one order.
    """
    moved = [
        (event.commission, movement)
        for event, left in events
        if (movement := _movement(event, left)) is not None and left
    ]
    approved = [one for one, move in moved if move.kind is PostingKind.APPROVED]
    bonuses = joining_bonuses(approved, now=now)
    post([move for _, move in moved] + [movement_of(one) for one in bonuses], now=now)
    keep(bonuses)
    announce_events(events, now=now)


def announce_events(
    events: Sequence[tuple[CommissionEvent, int]], *, now: datetime
) -> None:
    announce([_fact(event, left) for event, left in events], now=now)
    tell_of_events(events, now=now)


def _movement(event: CommissionEvent, left: int) -> Movement | None:
    before = CommissionStatus(event.before) if event.before else None
    way = rules.way_of(before, CommissionStatus(event.after))
    if way is None:
        return None
    commission = event.commission
    return Movement(
        kind=way.kind,
        key=f"commission:{commission.pk}:{way.kind}:{event.pk}",
        source=way.source,
        target=way.target,
        affiliate_id=commission.affiliate_id,
        brand_id=commission.brand_id,
        currency=commission.currency,
        amount=left,
        commission_id=commission.pk,
    )


def _store(steps: Sequence[CommissionStep]) -> None:
    for step in steps:
        step.commission.status = step.status
        step.commission.reason = step.why.reason
        step.commission.reason_details = dict(step.why.details)
    Commission.objects.bulk_update(
        [step.commission for step in steps], ["status", "reason", "reason_details"]
    )


def _fact(event: CommissionEvent, left: int) -> Fact:
    commission = event.commission
    currency = commission.currency
    if event.after == CommissionStatus.REJECTED:
        left = 0
    return Fact(
        kind=FactKind.COMMISSION_CHANGED,
        brand_id=commission.brand_id,
        affiliate_id=commission.affiliate_id,
        subject=f"commission:{commission.pk}",
        key=f"commission:{commission.pk}:{event.pk}",
        data={
            "commission_id": commission.pk,
            "affiliate": commission.affiliate.code,
            # Of a share it is another affiliate's, and the recruiter may be told of it.
            "order_ref": ""
            if commission.share_of_id
            else commission.sale.order_referral.order_ref,
            "invoice_ref": commission.sale.invoice_ref,
            "status": event.after,
            "reason": event.reason,
            "reason_text": event.reason_text,
            "amount": decimal_text(commission.amount, currency),
            "left": decimal_text(left, currency),
            "currency": currency,
        },
    )
