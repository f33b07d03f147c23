"""Confirms that the money has arrived.

The host adds account credit outside any lock, in three steps that commit separately:
the payout is marked as being paid; the host credits it under the payout's reference;
the payout is marked as paid. If a process dies in between, the payout stays "being
paid": another confirmation credits nothing twice, and only a person who states that
the account was not credited can reject it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.adapter import get_adapter
from affiliates.commissions.services.locks import lock_affiliates
from affiliates.commissions.services.payouts import mark_paid
from affiliates.contracts import WalletCredit
from affiliates.core.money import from_minor
from affiliates.errors import AffiliatesError, NotFound, StateConflict, required_text
from affiliates.ledger.rules import PostingKind
from affiliates.payouts.models import MAX_REASON, MAX_REMOTE_REF, Payout
from affiliates.payouts.providers.protocol import Way
from affiliates.payouts.rules import NO_ACCOUNT_CREDIT, PayoutStatus
from affiliates.payouts.selectors import can_be_paid_to
from affiliates.payouts.services.statements import issue_statement
from affiliates.payouts.services.steps import (
    BulkOutcome,
    in_turn,
    lock_payout,
    move,
    post,
    require_cooled_off,
    require_no_credit_under_way,
    require_not_being_sent,
    require_paid,
    way_of,
)

PAYABLE_STATUSES = (PayoutStatus.APPROVED, PayoutStatus.EXPORTED)


def confirm_payout(
    *, payout_id: int, reference: str, actor_id: Any, now: datetime
) -> Payout:
    """Marks the payout as paid; adds account credit first.

    ``reference`` is the bank's or PayPal's, or a note; the wallet has its own. A repeat
    changes nothing. Raises InvalidInput without a reference; StateConflict for a payout
    that is not approved, is paid under another reference, or whose credit another
    process is adding, for one whose payment has not begun while its affiliate is
    cooling off, for one that a provider may be paying, and for account credit of an inactive affiliate or in a portal without
    account credit; RuntimeError for account credit inside a transaction.
    """
    payout = Payout.objects.select_related("destination").filter(pk=payout_id).first()
    if payout is None:
        raise NotFound
    if way_of(payout) is Way.CREDIT:
        return _credit(payout_id, actor_id=actor_id, now=now)
    reference = required_text(reference, field="reference", most=MAX_REMOTE_REF)
    return finish_payout(payout_id, reference=reference, actor_id=actor_id, now=now)


def confirm_payouts(
    *,
    payout_ids: Sequence[int],
    reference: str,
    actor_id: Any,
    clock: Callable[[], datetime],
) -> BulkOutcome:
    """Confirms each of them under this reference.

    Each at its own time: a credit counts as under way from its start.
    """
    return in_turn(
        payout_ids,
        lambda payout_id: confirm_payout(
            payout_id=payout_id, reference=reference, actor_id=actor_id, now=clock()
        ),
    )


def confirm_batch(
    *, batch_id: int, reference: str, actor_id: Any, now: datetime
) -> BulkOutcome:
    """Confirms all open payouts of an exported file."""
    payout_ids = Payout.objects.filter(
        batch_id=batch_id, status=PayoutStatus.EXPORTED
    ).values_list("pk", flat=True)
    return confirm_payouts(
        payout_ids=list(payout_ids),
        reference=reference,
        actor_id=actor_id,
        clock=lambda: now,
    )


@transaction.atomic
def finish_payout(
    payout_id: int,
    *,
    reference: str,
    actor_id: Any,
    now: datetime,
    is_by_provider: bool = False,
    received: tuple[int | None, str] = (None, ""),
) -> Payout:
    """Marks the payout as paid under this reference, with its statement.

    ``received`` is what the recipient got in another currency. A repeat changes nothing.
    Raises StateConflict for a payout that is not approved, that
    is paid under another reference, or that a provider may be paying, unless the provider
    has said so (``is_by_provider``).
    """
    payout = lock_payout(payout_id)
    if payout.status == PayoutStatus.PAID:
        if payout.remote_ref == reference:
            return payout
        raise StateConflict(
            "payout_paid", f"It is paid already, reference {payout.remote_ref}."
        )
    _require_payable(payout)
    if not is_by_provider:
        require_not_being_sent(payout)
    if payout.status == PayoutStatus.APPROVED:
        require_cooled_off(payout, now=now)
    lock_affiliates([payout.affiliate_id])
    payout.remote_ref = reference
    payout.received_amount, payout.received_currency = received
    move(payout, PayoutStatus.PAID, actor_id=actor_id, now=now)
    mark_paid(payout, actor_id=actor_id, now=now)
    post(payout, PostingKind.PAYOUT_PAID, now=now)
    issue_statement(payout, now=now)
    return payout


def _require_payable(payout: Payout) -> None:
    if payout.status not in PAYABLE_STATUSES:
        label = PayoutStatus(payout.status).label.lower()
        raise StateConflict(
            "payout_not_approved", f"It is {label}: only an approved one is paid."
        )


def _credit(payout_id: int, *, actor_id: Any, now: datetime) -> Payout:
    payout, is_first_try = _begin_credit(payout_id, actor_id=actor_id, now=now)
    if payout.status == PayoutStatus.PAID:
        return payout
    credit = WalletCredit(
        client_id=str(payout.affiliate.user_id),
        payout_ref=f"payout-{payout.pk}",
        amount=from_minor(payout.amount, payout.currency),
    )
    try:
        with transaction.atomic():
            reference = get_adapter().credit_wallet(credit, now=now)
    except AffiliatesError as error:
        # The host refused: nothing was added, except perhaps by an earlier lost
        # attempt.
        if is_first_try:
            _give_up(payout_id, reason=error.detail, actor_id=actor_id, now=now)
        raise
    return finish_payout(
        payout_id, reference=reference[:MAX_REMOTE_REF], actor_id=actor_id, now=now
    )


# Durable: an outer transaction could otherwise roll the mark back.
@transaction.atomic(durable=True)
def _begin_credit(
    payout_id: int, *, actor_id: Any, now: datetime
) -> tuple[Payout, bool]:
    """Marks it as being paid; returns whether this is the first try since approval."""
    payout = lock_payout(payout_id)
    if payout.status == PayoutStatus.PAID:
        return payout, False
    _require_payable(payout)
    if not can_be_paid_to(payout.destination.kind):
        raise StateConflict(*NO_ACCOUNT_CREDIT)
    is_first_try = payout.status == PayoutStatus.APPROVED
    if is_first_try:
        require_paid(payout)
        require_cooled_off(payout, now=now)
    else:
        require_no_credit_under_way(payout, now=now)
    move(payout, PayoutStatus.EXPORTED, actor_id=actor_id, now=now)
    return payout, is_first_try


@transaction.atomic
def _give_up(payout_id: int, *, reason: str, actor_id: Any, now: datetime) -> None:
    payout = lock_payout(payout_id)
    if payout.status == PayoutStatus.EXPORTED:
        reason = reason[:MAX_REASON]
        move(payout, PayoutStatus.APPROVED, actor_id=actor_id, reason=reason, now=now)
