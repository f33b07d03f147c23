from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from affiliates.commissions.services.payouts import claim_for_payout
from affiliates.db.records import lock
from affiliates.db.transactions import joins_request
from affiliates.errors import StateConflict
from affiliates.ledger.rules import PostingKind
from affiliates.payouts.models import Payout, PayoutTerms
from affiliates.payouts.requirements.registry import announce_request
from affiliates.payouts.rules import OWN_START, PayoutStatus
from affiliates.payouts.selectors import has_two_who_approve, offer_of
from affiliates.payouts.services import steps
from affiliates.program.models import Affiliate


@joins_request
def request_payout(
    *,
    affiliate_id: int,
    currency: str,
    now: datetime,
    is_by_run: bool = False,
    started_by_id: Any = None,
) -> Payout:
    """Requests the affiliate's whole payable balance in this currency.

    ``is_by_run``: the brand's schedule requests it, not the affiliate.
    ``started_by_id``: this staff member does.

    Raises InvalidInput for an unknown currency, StateConflict if ``rules.judge_request``
    refuses, and for staff who would be paid themselves.
    """
    # All changes of the payable balance wait for this lock.
    affiliate = lock(Affiliate, affiliate_id)
    if started_by_id == affiliate.user_id:
        raise StateConflict(*OWN_START)
    offer = offer_of(affiliate, currency, now=now)
    if offer.refusal is not None:
        raise StateConflict(*offer.refusal)
    _keep_terms(affiliate.brand_id)
    payout = Payout.objects.create(
        brand_id=affiliate.brand_id,
        affiliate=affiliate,
        destination=offer.destination,  # type: ignore[misc] # none is refused
        currency=currency,
        amount=offer.payable,
        status=PayoutStatus.REQUESTED,
        prepared_by_id=started_by_id,
        requested_at=now,
    )
    claim_for_payout(payout, now=now)
    steps.post(payout, PostingKind.PAYOUT_REQUESTED, now=now)
    actor_id = None if is_by_run else started_by_id or affiliate.user_id
    steps.note(payout, before="", actor_id=actor_id, now=now)
    announce_request(payout, now=now)
    return payout


def _keep_terms(brand_id: int) -> None:
    """Saves the terms that count, if none are saved: deleted later, they are missed."""
    # Asked for only where none are saved.
    for_two: Any = partial(has_two_who_approve, brand_id)
    PayoutTerms.objects.get_or_create(
        brand_id=brand_id, defaults={"needs_second_person": for_two}
    )
