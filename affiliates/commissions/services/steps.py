"""Steps of commissions: each with its event, its posting and its announcement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from affiliates.commissions import rules
from affiliates.commissions.emails import tell_of_events
from affiliates.commissions.life import Life, LifeStep
from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.commissions.rules import (
    CommissionStatus,
    Judgement,
    PastStep,
    StepReason,
    Why,
)
from affiliates.commissions.selectors import taken_back_of, terms_of_commission
from affiliates.commissions.services.adjusting import keep, movement_of
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


def take_steps(
    steps: Sequence[CommissionStep], *, actor_id: Any, now: datetime
) -> None:
    """Writes steps of commissions, which the caller has locked, and of their shares.

    Each step that moves money moves what is left of its commission.
    """
    if not steps:
        return
    steps = [*steps, *_steps_of_shares(steps)]
    rows = [step.commission for step in steps]
    taken = taken_back_of([row.pk for row in rows])
    lives = [
        life_of(row, taken_back=taken.get(row.pk, 0)).step(
            Judgement(step.status, step.why), step.why
        )
        for row, step in zip(rows, steps, strict=True)
    ]
    write_lives(rows, lives, actor_id=actor_id, now=now)


def life_of(
    commission: Commission,
    *,
    taken_back: int,
    past: Sequence[PastStep] = (),
    by_line: Sequence[int] = (),
) -> Life:
    return Life(
        amount=commission.amount,
        left=commission.amount + taken_back,
        currency=commission.currency,
        judgement=Judgement(
            CommissionStatus(commission.status),
            Why(StepReason(commission.reason), commission.reason_details),
        ),
        matures_at=commission.matures_at,
        is_in_payout=commission.payout_id is not None,
        past=tuple(past),
        by_line=tuple(by_line),
    )


def write_lives(
    rows: Sequence[Commission],
    lives: Sequence[Life],
    reversal_ids: Mapping[int, int] = MappingProxyType({}),
    *,
    actor_id: Any = None,
    now: datetime,
) -> None:
    """Writes the steps of each commission, moves their money and announces them.

    ``reversal_ids`` are those of the sale, by the place of the refund. A joining bonus
    is posted with the approval that makes it due.
    """
    steps = [
        (row, step)
        for row, life in zip(rows, lives, strict=True)
        for step in life.steps
    ]
    events = CommissionEvent.objects.bulk_create(
        CommissionEvent(
            commission=row,
            before=step.before or "",
            after=step.after,
            reason=step.why.reason,
            reason_details=_details(row, step),
            actor_id=actor_id,
            at=now,
        )
        for row, step in steps
    )
    numbered = [
        (row, step, event.pk if step.refund is None else reversal_ids[step.refund])
        for (row, step), event in zip(steps, events, strict=True)
    ]
    moved = [
        (row, movement)
        for row, step, number in numbered
        if (movement := _movement(row, step, number)) is not None and movement.amount
    ]
    approved = [row for row, move in moved if move.kind is PostingKind.APPROVED]
    bonuses = joining_bonuses(approved, now=now)
    # In one call, which locks all accounts in one order.
    post([move for _, move in moved] + [movement_of(one) for one in bonuses], now=now)
    keep(bonuses)
    left = [step.left for _, step in steps]
    announce([_fact(*one) for one in zip(events, left, strict=True)], now=now)
    tell_of_events(list(zip(events, left, strict=True)), now=now)
    _store(rows, lives)


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


def _details(row: Commission, step: LifeStep) -> dict[str, Any]:
    if step.why.reason is StepReason.SHARED:
        return {**step.why.details, "commission": row.share_of_id}
    return dict(step.why.details)


def _movement(row: Commission, step: LifeStep, number: int) -> Movement | None:
    way = step.way
    if way is None:
        return None
    return Movement(
        kind=way.kind,
        key=f"commission:{row.pk}:{way.kind}:{number}",
        source=way.source,
        target=way.target,
        affiliate_id=row.affiliate_id,
        brand_id=row.brand_id,
        currency=row.currency,
        amount=step.left if step.refund is None else abs(step.moved),
        commission_id=row.pk,
    )


def _store(rows: Sequence[Commission], lives: Sequence[Life]) -> None:
    """Updates commissions with the same judgement at once: ``CASE`` costs more."""
    ids: dict[str, list[int]] = defaultdict(list)
    judgements = {}
    for row, life in zip(rows, lives, strict=True):
        status, (reason, details) = life.judgement
        values = {"status": status, "reason": reason, "reason_details": dict(details)}
        if any(getattr(row, name) != value for name, value in values.items()):
            for name, value in values.items():
                setattr(row, name, value)
            ids[repr(values)].append(row.pk)
            judgements[repr(values)] = values
    for judgement, values in judgements.items():
        Commission.objects.filter(pk__in=ids[judgement]).update(**values)


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
