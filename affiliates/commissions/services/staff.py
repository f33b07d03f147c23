"""What staff do to commissions, many at once, each audited with its reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
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
from affiliates.commissions.selectors import terms_of_commission
from affiliates.commissions.services.locks import lock_commissions
from affiliates.commissions.services.steps import CommissionStep, take_steps
from affiliates.errors import required_text


@transaction.atomic
def act(
    action: StaffAction,
    *,
    commission_ids: Collection[int],
    actor_id: Any,
    reason: str,
    now: datetime,
) -> int:
    """Do it to those whose status allows it; the others stay as they are.

    Returns how many. Those that are released after the end of their hold mature in the
    same step. Not where the plan wants the host asked first whether the service is
    active: that is the next pass of ``mature_due``. Raises InvalidInput for an empty
    reason and one that is too long.
    """
    note = required_text(reason, field="reason", most=MAX_NOTE)
    why = Why(StepReason.STAFF, {"note": note})
    allowed = [one for one in lock_commissions(commission_ids) if allows(action, one)]
    steps = [CommissionStep(one, action.result, why) for one in allowed]
    take_steps(steps, actor_id=actor_id, now=now)
    if action is StaffAction.RELEASE:
        _mature(allowed, now=now)
    return len(allowed)


approve = partial(act, StaffAction.APPROVE)
hold = partial(act, StaffAction.HOLD)
release = partial(act, StaffAction.RELEASE)
reject = partial(act, StaffAction.REJECT)


def allows(action: StaffAction, commission: Commission) -> bool:
    return action.allows(
        CommissionStatus(commission.status),
        is_in_payout=commission.payout_id is not None,
    )


@transaction.atomic
def take_away(
    *, commission_ids: Collection[int], actor_id: Any, why: Why, now: datetime
) -> int:
    """Reject the commissions of an order that staff gave to somebody else.

    Also what is paid or on its way: it leaves a negative balance. The caller holds the
    order's lock.
    """
    steps = [
        CommissionStep(one, CommissionStatus.REJECTED, why)
        for one in lock_commissions(commission_ids)
        if CommissionStatus(one.status).is_live
    ]
    take_steps(steps, actor_id=actor_id, now=now)
    return len(steps)


def _mature(released: Sequence[Commission], *, now: datetime) -> None:
    steps = []
    for commission in released:
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
