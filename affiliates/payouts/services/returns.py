from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.commissions.services.locks import lock_affiliates
from affiliates.commissions.services.payouts import take_from_paid
from affiliates.errors import StateConflict, required_text
from affiliates.ledger.rules import PostingKind
from affiliates.payouts.models import MAX_REASON, Payout
from affiliates.payouts.providers.protocol import Way
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.statements import issue_credit_note
from affiliates.payouts.services.steps import (
    BulkOutcome,
    in_turn,
    lock_payout,
    move,
    post,
    way_of,
)


@transaction.atomic
def return_payout(
    *, payout_id: int, reason: str, actor_id: Any, now: datetime
) -> Payout:
    """Makes a paid payout payable again whose money came back or never arrived.

    Nothing is edited: a posting, a step and a credit note reverse it. A repeat changes
    nothing. Raises InvalidInput without a reason, StateConflict for a payout that is
    not paid and for account credit, which the host has added.
    """
    reason = required_text(reason, field="reason", most=MAX_REASON)
    payout = lock_payout(payout_id)
    if payout.status == PayoutStatus.RETURNED:
        return payout
    if payout.status != PayoutStatus.PAID:
        raise StateConflict("payout_not_paid", "Only a paid payout can come back.")
    if way_of(payout) is Way.CREDIT:
        raise StateConflict(
            "credit_added", "The account was credited: what is in it cannot come back."
        )
    lock_affiliates([payout.affiliate_id])
    move(payout, PayoutStatus.RETURNED, actor_id=actor_id, reason=reason, now=now)
    take_from_paid(payout, now=now)
    post(payout, PostingKind.PAYOUT_RETURNED, now=now)
    issue_credit_note(payout, now=now)
    return payout


def return_payouts(
    *, payout_ids: Sequence[int], reason: str, actor_id: Any, now: datetime
) -> BulkOutcome:
    """Returns each of them for this reason. Raises InvalidInput without one."""
    required_text(reason, field="reason", most=MAX_REASON)
    return in_turn(
        payout_ids,
        lambda payout_id: return_payout(
            payout_id=payout_id, reason=reason, actor_id=actor_id, now=now
        ),
    )
