from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.commissions.services.locks import lock_affiliates
from affiliates.commissions.services.payouts import return_from_payout
from affiliates.errors import StateConflict, required_text
from affiliates.ledger.rules import PostingKind
from affiliates.payouts.models import MAX_REASON, Payout
from affiliates.payouts.providers.protocol import Way
from affiliates.payouts.requirements.registry import unmet_approvals
from affiliates.payouts.rules import (
    INACTIVE,
    NO_ACCOUNT_CREDIT,
    OWN_PAYOUT,
    Approval,
    PayoutStatus,
    Refusal,
    judge_approval,
)
from affiliates.payouts.selectors import (
    can_be_paid_to,
    last_step,
    needs_second_person,
)
from affiliates.payouts.services.steps import (
    BulkOutcome,
    approve,
    in_turn,
    is_own,
    lock_payout,
    lock_payouts,
    move,
    post,
    prepare,
    require_no_credit_under_way,
    require_not_being_sent,
    way_of,
)
from affiliates.program.rules import AffiliateStatus


@transaction.atomic
def approve_payouts(
    *, payout_ids: Sequence[int], actor_id: Any, now: datetime
) -> BulkOutcome:
    """Releases requested payouts for payment; returns the reasons for the others.

    If the brand requires two people, the first approval of a payout that no staff
    member has started only prepares it: it stays requested for the second.
    """
    payouts = lock_payouts(payout_ids)
    done, prepared, refused = 0, 0, []
    brands = {payout.brand_id for payout in payouts}
    for_two = {brand_id for brand_id in brands if needs_second_person(brand_id)}
    unmet = unmet_approvals(payouts)
    for payout in payouts:
        is_for_two = payout.brand_id in for_two
        approval = judge_approval(
            is_for_two=is_for_two, prepared_by=payout.prepared_by_id, actor=actor_id
        )
        verdict = unmet.get(payout.pk, approval)
        reason = _why_not_approved(payout, verdict, actor_id=actor_id)
        if reason:
            refused.append(f"Payout {payout.pk}: {reason}")
        elif approval is Approval.FIRST:
            prepare(payout, actor_id=actor_id, now=now)
            prepared += 1
        else:
            approve(payout, is_for_two=is_for_two, actor_id=actor_id, now=now)
            done += 1
    return BulkOutcome(done=done, prepared=prepared, refused=tuple(refused))


def _why_not_approved(
    payout: Payout, approval: Approval | Refusal, *, actor_id: Any
) -> str:
    if payout.status != PayoutStatus.REQUESTED:
        return last_step(payout)
    if not AffiliateStatus(payout.affiliate.status).is_paid:
        return INACTIVE.detail
    if not can_be_paid_to(payout.destination.kind):
        return NO_ACCOUNT_CREDIT.detail
    if is_own(payout, actor_id):
        return OWN_PAYOUT.detail
    return approval.detail if isinstance(approval, Refusal) else ""


@transaction.atomic
def reject_payout(
    *,
    payout_id: int,
    reason: str,
    actor_id: Any,
    now: datetime,
    is_uncredited: bool = False,
    is_by_provider: bool = False,
) -> Payout:
    """Returns the money to the affiliate's payable balance. A repeat changes nothing.

    Raises InvalidInput without a reason, StateConflict for a paid payout and for one
    whose credit to a wallet may have happened. Only the latter is rejected with
    ``is_uncredited``, which states that a person has checked that the account was not
    credited: otherwise the affiliate is paid twice. StateConflict is then raised while
    the credit may be under way, and for a payout that a provider may be paying, unless
    the provider has said that it failed (``is_by_provider``).
    """
    reason = required_text(reason, field="reason", most=MAX_REASON)
    payout = lock_payout(payout_id)
    if payout.status == PayoutStatus.REJECTED:
        return payout
    is_unclear = payout.status == PayoutStatus.EXPORTED and way_of(payout) is Way.CREDIT
    if is_uncredited:
        if not is_unclear:
            raise StateConflict(
                "credit_not_unclear", "It is no account credit that is being paid."
            )
        require_no_credit_under_way(payout, now=now)
    elif not PayoutStatus(payout.status).is_open:
        label = PayoutStatus(payout.status).label.lower()
        raise StateConflict("payout_paid", f"It is {label} already.")
    elif is_unclear:
        raise StateConflict(
            "credit_unclear",
            "The account may have been credited already. Confirm it again to find out. "
            "Where that is always refused, look at the account, and reject it as not "
            "credited.",
        )
    elif not is_by_provider:
        require_not_being_sent(payout)
    lock_affiliates([payout.affiliate_id])
    move(payout, PayoutStatus.REJECTED, actor_id=actor_id, reason=reason, now=now)
    return_from_payout(payout, now=now)
    post(payout, PostingKind.PAYOUT_REJECTED, now=now)
    return payout


def reject_payouts(
    *,
    payout_ids: Sequence[int],
    reason: str,
    actor_id: Any,
    now: datetime,
    is_uncredited: bool = False,
) -> BulkOutcome:
    """Rejects each of them for this reason. Raises InvalidInput without one."""
    required_text(reason, field="reason", most=MAX_REASON)
    return in_turn(
        payout_ids,
        lambda payout_id: reject_payout(
            payout_id=payout_id,
            reason=reason,
            actor_id=actor_id,
            now=now,
            is_uncredited=is_uncredited,
        ),
    )
