from __future__ import annotations

from datetime import datetime

from django.db import transaction

from affiliates.commissions.services.payouts import claim_for_payout
from affiliates.errors import InvalidInput, StateConflict
from affiliates.ledger.rules import Account, PostingKind
from affiliates.ledger.selectors import balance
from affiliates.payouts import rules
from affiliates.payouts.models import OPEN_STATUSES, Payout
from affiliates.payouts.rules import Destination, DestinationKind, PayoutStatus, Request
from affiliates.payouts.selectors import current_destination, terms_of
from affiliates.payouts.services import steps
from affiliates.payouts.services.destinations import lock_affiliate
from affiliates.program.rules import AffiliateStatus


@transaction.atomic
def request_payout(
    *, affiliate_id: int, currency: str, now: datetime, is_by_run: bool = False
) -> Payout:
    """Ask for the affiliate's whole payable balance in this currency.

    The affiliate has asked, or with ``is_by_run`` nobody: its brand pays by schedule.

    Raises InvalidInput for what is no currency, StateConflict without a destination
    and where ``rules.judge_request`` refuses.
    """
    if not rules.is_currency(currency):
        raise InvalidInput(
            "unknown_currency",
            "Give the three letters of a currency, such as EUR.",
            field="currency",
        )
    # Whatever changes the payable balance waits for this lock.
    affiliate = lock_affiliate(affiliate_id)
    destination = current_destination(affiliate_id)
    if destination is None:
        raise StateConflict("no_destination", "Say first where the money is to go.")
    payable = balance(affiliate_id, currency, Account.PAYABLE)
    asked = Request(
        currency=currency,
        payable=payable,
        affiliate_is_active=affiliate.status == AffiliateStatus.ACTIVE,
        has_open_payout=Payout.objects.filter(
            affiliate=affiliate, currency=currency, status__in=OPEN_STATUSES
        ).exists(),
        destination=Destination(
            kind=DestinationKind(destination.kind), usable_from=destination.usable_from
        ),
    )
    refusal = rules.judge_request(asked, terms=terms_of(affiliate.brand_id), now=now)
    if refusal is not None:
        raise StateConflict(*refusal)
    payout = Payout.objects.create(
        brand_id=affiliate.brand_id,
        affiliate=affiliate,
        destination=destination,
        currency=currency,
        amount=payable,
        status=PayoutStatus.REQUESTED,
        requested_at=now,
    )
    claim_for_payout(payout, now=now)
    steps.post(payout, PostingKind.PAYOUT_REQUESTED, now=now)
    actor_id = None if is_by_run else affiliate.user_id
    steps.note(payout, before="", actor_id=actor_id, now=now)
    return payout
