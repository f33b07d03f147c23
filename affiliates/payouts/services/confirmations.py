"""The money has arrived.

Account credit is added by the host, outside any lock, in three steps that are each
committed: the payout is marked as being paid; the host credits it under the payout's
reference; the payout is marked as paid. A process that dies in between leaves it being
paid: to confirm it again credits nothing twice, and it is rejected only by whoever says
that the account was not credited.
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
from affiliates.payouts.rules import DestinationKind, PayoutStatus
from affiliates.payouts.services.statements import issue_statement
from affiliates.payouts.services.steps import (
    BulkOutcome,
    in_turn,
    kind_of,
    lock_payout,
    move,
    post,
    require_active,
    require_no_credit_under_way,
)

PAYABLE_STATUSES = (PayoutStatus.APPROVED, PayoutStatus.EXPORTED)


def confirm_payout(
    *, payout_id: int, reference: str, actor_id: Any, now: datetime
) -> Payout:
    """The payout has reached the affiliate; account credit is added by this.

    ``reference`` is the bank's or PayPal's, or a note; the wallet has its own. A repeat
    changes nothing. Raises InvalidInput without a reference, StateConflict for a payout
    that is not approved, is paid under another reference, or whose credit somebody else
    is adding, and for account credit of an affiliate that is not active; RuntimeError
    for account credit inside a transaction.
    """
    payout = Payout.objects.select_related("destination").filter(pk=payout_id).first()
    if payout is None:
        raise NotFound
    if kind_of(payout) is DestinationKind.WALLET:
        return _credit(payout_id, actor_id=actor_id, now=now)
    reference = required_text(reference, field="reference", most=MAX_REMOTE_REF)
    return _finish(payout_id, reference=reference, actor_id=actor_id, now=now)


def confirm_payouts(
    *,
    payout_ids: Sequence[int],
    reference: str,
    actor_id: Any,
    clock: Callable[[], datetime],
) -> BulkOutcome:
    """Confirm each of them under this reference.

    Each at its own moment: a credit counts as under way from when it began.
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
    """Confirm all that is still open of an exported file."""
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
def _finish(payout_id: int, *, reference: str, actor_id: Any, now: datetime) -> Payout:
    payout = lock_payout(payout_id)
    if payout.status == PayoutStatus.PAID:
        if payout.remote_ref == reference:
            return payout
        raise StateConflict(
            "payout_paid", f"It is paid already, reference {payout.remote_ref}."
        )
    _require_payable(payout)
    lock_affiliates([payout.affiliate_id])
    payout.remote_ref = reference
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
        # Refused, so nothing was added, unless by an earlier try that ended unseen.
        if is_first_try:
            _give_up(payout_id, reason=error.detail, actor_id=actor_id, now=now)
        raise
    return _finish(
        payout_id, reference=reference[:MAX_REMOTE_REF], actor_id=actor_id, now=now
    )


# Durable, for a mark that an outer transaction could roll back would be none.
@transaction.atomic(durable=True)
def _begin_credit(
    payout_id: int, *, actor_id: Any, now: datetime
) -> tuple[Payout, bool]:
    """Mark it as being paid; say whether nobody has tried since it was approved."""
    payout = lock_payout(payout_id)
    if payout.status == PayoutStatus.PAID:
        return payout, False
    _require_payable(payout)
    is_first_try = payout.status == PayoutStatus.APPROVED
    if is_first_try:
        require_active(payout)
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
