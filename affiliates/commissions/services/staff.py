"""Staff's actions on commissions, many at once, each recorded with its reason."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from affiliates.commissions.messages import FOR_AFFILIATE
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import (
    MAX_NOTE,
    CommissionStatus,
    StaffAction,
    StepReason,
    Why,
)
from affiliates.commissions.services.locks import lock_commissions
from affiliates.commissions.services.steps import (
    CommissionStep,
    mature_at_once,
    take_steps,
)
from affiliates.errors import limited_text, required_text

APPROVED_WITHOUT_REASON = "Approved by staff."


@transaction.atomic
def act(
    action: StaffAction,
    *,
    commission_ids: Collection[int],
    actor_id: Any,
    reason: str,
    for_affiliate: str = "",
    now: datetime,
) -> int:
    """Applies the action to commissions whose status allows it; others stay unchanged.

    Returns how many. A share is approved together with its commission or after it. A
    commission released after the end of its hold matures in the same step, unless the
    plan first asks the host whether the service is active: then the next pass of
    ``mature_due`` does it. ``for_affiliate`` is what the affiliate reads of the reason.
    Raises InvalidInput for a too long reason, and for an empty one unless the action is
    to approve.
    """
    if action is StaffAction.APPROVE:
        reason = reason.strip() or APPROVED_WITHOUT_REASON
    details = {"note": required_text(reason, field="reason", most=MAX_NOTE)}
    if said := limited_text(for_affiliate, field="for_affiliate", most=MAX_NOTE):
        details[FOR_AFFILIATE] = said
    why = Why(StepReason.STAFF, details)
    commissions = lock_commissions(commission_ids)
    before = {commission.pk: commission.status for commission in commissions}
    allowed = [commission for commission in commissions if allows(action, commission)]
    steps = [CommissionStep(commission, action.result, why) for commission in allowed]
    take_steps(steps, actor_id=actor_id, now=now)
    # A share that was also chosen has taken its commission's step.
    done = sum(commission.status != before[commission.pk] for commission in commissions)
    if action is StaffAction.RELEASE:
        mature_at_once(allowed, now=now)
    return done


approve = partial(act, StaffAction.APPROVE)
hold = partial(act, StaffAction.HOLD)
release = partial(act, StaffAction.RELEASE)
reject = partial(act, StaffAction.REJECT)


def allows(action: StaffAction, commission: Commission) -> bool:
    return action.allows(
        CommissionStatus(commission.status),
        is_in_payout=commission.payout_id is not None,
        own=_status_of_own(commission),
    )


def waits(action: StaffAction, commission: Commission) -> bool:
    """Whether it is a share whose commission must be approved first."""
    return action.waits(_status_of_own(commission))


@transaction.atomic
def take_away(
    *, commission_ids: Collection[int], actor_id: Any, why: Why, now: datetime
) -> int:
    """Rejects the commissions of an order that staff gave to another affiliate.

    Also those paid or in a payout: that leaves a negative balance. The caller holds the
    order's lock.
    """
    steps = [
        CommissionStep(commission, CommissionStatus.REJECTED, why)
        for commission in lock_commissions(commission_ids)
        if CommissionStatus(commission.status).is_live
    ]
    take_steps(steps, actor_id=actor_id, now=now)
    return len(steps)


def _status_of_own(share: Commission) -> CommissionStatus | None:
    return None if share.share_of is None else CommissionStatus(share.share_of.status)
