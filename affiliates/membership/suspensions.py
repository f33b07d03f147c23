"""Suspends affiliates; staff decide what becomes of their pending commissions."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q, TextChoices

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus, StaffAction
from affiliates.commissions.services.locks import lock_earners
from affiliates.commissions.services.staff import act
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status

PENDING = (CommissionStatus.PENDING, CommissionStatus.MATURED)


class WhatIsPending(TextChoices):
    """The treatment of commissions that are in their hold or wait for approval."""

    STAYS = (
        "stays",
        "Stays: it matures and is approved as ever, and is not paid while suspended",
    )
    HELD = "held", "Held: it waits until staff release or reject it"
    REJECTED = "rejected", "Rejected for this reason: this cannot be undone"

    @property
    def action(self) -> StaffAction | None:
        return _ACTIONS.get(self)


_ACTIONS = {
    WhatIsPending.HELD: StaffAction.HOLD,
    WhatIsPending.REJECTED: StaffAction.REJECT,
}


class Suspended(NamedTuple):
    affiliates: int
    commissions: int


@transaction.atomic
def suspend(
    affiliate_ids: Collection[int],
    *,
    pending: WhatIsPending,
    reason: str,
    actor_id: Any,
    now: datetime,
) -> Suspended:
    """Suspends all of the affiliates or none, with their pending commissions.

    Also handles pending commissions of affiliates that were suspended before. Raises
    InvalidInput if commissions are to be held or rejected without a reason.
    """
    shared = Q(share_of__affiliate__in=affiliate_ids, share_of__status__in=PENDING)
    lock_earners(affiliate_ids, shared)
    chosen = Affiliate.objects.filter(pk__in=affiliate_ids)
    changed = change_status(chosen, status=AffiliateStatus.SUSPENDED)
    commissions = 0
    if pending.action is not None:
        found = Commission.objects.filter(
            affiliate_id__in=affiliate_ids, status__in=PENDING
        )
        commissions = act(
            pending.action,
            commission_ids=list(found.values_list("pk", flat=True)),
            actor_id=actor_id,
            reason=reason,
            now=now,
        )
    return Suspended(len(changed), commissions)
