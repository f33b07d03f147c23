"""Steps of commissions: each with its event, its posting and its announcement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from affiliates.commissions import rules
from affiliates.commissions.emails import tell_of_events
from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.commissions.rules import CommissionStatus, StepReason, Why
from affiliates.commissions.selectors import taken_back_of, terms_of_commission
from affiliates.commissions.services import adjusting
from affiliates.commissions.services.joining import joining_bonuses
from affiliates.core.money import decimal_text
from affiliates.ledger.rules import Movement, PostingKind
from affiliates.ledger.services import post
from affiliates.webhooks.announce import Fact, FactKind, announce


class CommissionStep(NamedTuple):
    """The new status of a commission, and why. The reason is stored on it."""

    commission: Commission
    status: CommissionStatus
    why: Why


class TakenStep(NamedTuple):
    """A step as it was written, what is left of its commission, and what it moves."""

    event: CommissionEvent
    left: int
    movement: Movement | None


def take_steps(
    steps: Sequence[CommissionStep], *, actor_id: Any, now: datetime
) -> None:
    """Writes steps of commissions, which the caller has locked, and of their shares.

    Each step that moves money moves what is left of its commission.
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
    taken_steps = []
    for event in events:
        amount = left[event.commission_id]
        taken_steps.append(TakenStep(event, amount, movement_of(event, amount)))
    post_steps(taken_steps, now=now)
    _store(steps)


def mature_at_once(commissions: Sequence[Commission], *, now: datetime) -> None:
    """Matures those whose hold is over; the caller has locked and made them pending.

    Not if the plan first asks the host: the next pass of ``mature_due`` does that.
    """
    steps = []
    for commission in commissions:
        terms = terms_of_commission(commission)
        if commission.matures_at > now or terms.needs_active_service:
            continue
        if commission.waits_for_its_own:
            continue
        judgement = rules.judge_mature(
            approves_itself=terms.approves_itself, service_is_active=None
        )
        steps.append(CommissionStep(commission, *judgement))
    take_steps(steps, actor_id=None, now=now)


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
    """Writes the audit of the steps, each with its commission's earlier status."""
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


def post_steps(steps: Sequence[TakenStep], *, now: datetime) -> None:
    """Moves the money of each step and announces it.

    In one call, which locks all accounts in one order. A joining bonus is posted with
    the approval that makes it due, in whatever way that comes about.
    """
    moved = [
        (step.event.commission, step.movement)
        for step in steps
        if step.movement is not None and step.movement.amount
    ]
    approved = [one for one, move in moved if move.kind is PostingKind.APPROVED]
    bonuses = joining_bonuses(approved, now=now)
    post(
        [move for _, move in moved] + [adjusting.movement_of(one) for one in bonuses],
        now=now,
    )
    adjusting.keep(bonuses)
    announce([_fact(event, left) for event, left, _ in steps], now=now)
    tell_of_events([(event, left) for event, left, _ in steps], now=now)


def movement_of(event: CommissionEvent, left: int) -> Movement | None:
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
            # A share's order is another affiliate's, and the recruiter may be notified.
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
