"""What staff do to commissions, many at once, each audited with its reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.commissions import rules
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import (
    MAX_NOTE,
    CommissionStatus,
    StaffAction,
    StepReason,
    Why,
)
from affiliates.commissions.services.locks import lock_commissions
from affiliates.commissions.services.steps import CommissionStep, take_steps
from affiliates.errors import required_text
from affiliates.plans.selectors import terms_of


@transaction.atomic
def approve(
    *, commission_ids: Collection[int], actor_id: Any, reason: str, now: datetime
) -> int:
    """Make matured commissions payable. Returns how many; the others stay as they are.

    As all of these, raises InvalidInput for an empty reason and one that is too long.
    """
    return len(_act(StaffAction.APPROVE, commission_ids, actor_id, reason, now=now))


@transaction.atomic
def hold(
    *, commission_ids: Collection[int], actor_id: Any, reason: str, now: datetime
) -> int:
    """Keep commissions from being paid until somebody releases them."""
    return len(_act(StaffAction.HOLD, commission_ids, actor_id, reason, now=now))


@transaction.atomic
def release(
    *, commission_ids: Collection[int], actor_id: Any, reason: str, now: datetime
) -> int:
    """Let held commissions go on. Those whose hold is over mature in the same step.

    Not where the plan wants the host asked first whether the service is active: that is
    the next pass of ``mature_due``.
    """
    released = _act(StaffAction.RELEASE, commission_ids, actor_id, reason, now=now)
    _mature(released, now=now)
    return len(released)


@transaction.atomic
def reject(
    *, commission_ids: Collection[int], actor_id: Any, reason: str, now: datetime
) -> int:
    """Take commissions away for good, unless they are paid or in a payout."""
    return len(_act(StaffAction.REJECT, commission_ids, actor_id, reason, now=now))


@transaction.atomic
def take_away(
    *, commission_ids: Collection[int], actor_id: Any, why: Why, now: datetime
) -> int:
    """Reject the commissions of an order that staff gave to somebody else.

    Also what is paid or on its way: it leaves a negative balance. The caller holds the
    order's lock.
    """
    steps = [
        CommissionStep(commission=one, status=CommissionStatus.REJECTED, why=why)
        for one in lock_commissions(commission_ids)
        if CommissionStatus(one.status).is_live
    ]
    take_steps(steps, actor_id=actor_id, now=now)
    return len(steps)


def _act(
    action: StaffAction,
    commission_ids: Collection[int],
    actor_id: Any,
    reason: str,
    *,
    now: datetime,
) -> list[Commission]:
    note = required_text(reason, field="reason", most=MAX_NOTE)
    why = Why(StepReason.STAFF, {"note": note})
    allowed = [
        commission
        for commission in lock_commissions(commission_ids)
        if action.allows(
            CommissionStatus(commission.status),
            is_in_payout=commission.payout_id is not None,
        )
    ]
    take_steps(
        [
            CommissionStep(commission=one, status=action.result, why=why)
            for one in allowed
        ],
        actor_id=actor_id,
        now=now,
    )
    return allowed


def _mature(released: Sequence[Commission], *, now: datetime) -> None:
    steps = []
    for commission in released:
        terms = (
            None
            if commission.plan_version is None
            else terms_of(commission.plan_version)
        )
        if commission.matures_at > now or (terms and terms.needs_active_service):
            continue
        judgement = rules.judge_mature(
            approves_itself=terms is None or terms.approves_itself,
            service_is_active=None,
        )
        steps.append(
            CommissionStep(
                commission=commission,
                status=judgement.status,
                why=judgement.why,
            )
        )
    take_steps(steps, actor_id=None, now=now)
