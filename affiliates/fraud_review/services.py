"""Staff's decision on a suspicious sale: releases or rejects its commission."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus, StaffAction
from affiliates.commissions.selectors import held_by_staff
from affiliates.commissions.services.staff import allows, reject, release
from affiliates.errors import InvalidInput, StateConflict
from affiliates.fraud.models import MAX_NOTE, FraudReview
from affiliates.fraud.rules.policy import FraudAction, ReviewOutcome, Signal
from affiliates.referrals.rules.choices import Outcome

RELEASED = "Released after a review of its fraud signals."
REJECTED = "Rejected after a review of its fraud signals."


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """How many reviews were closed, and how many could not be closed."""

    closed: int
    left: int


@transaction.atomic
def release_sales(
    *, review_ids: Collection[int], actor_id: Any, note: str = "", now: datetime
) -> Judged:
    """Marks the sales as harmless; releases commissions that their signals hold.

    What a person holds, or the order's decision without such a signal, stays held. A
    sale that the brand's policy declined stays open: its commission is rejected for
    good, and only an assignment of the order by staff makes another.
    """
    reviews = _lock(review_ids)
    earned = _commission_of(reviews)
    closable = [review for review in reviews if review.sale_id in earned]
    held = _held_by(closable, earned)
    reason = _note(note) or RELEASED
    if held:
        moved = release(commission_ids=held, actor_id=actor_id, reason=reason, now=now)
        _require_all(moved, held)
    return _close(reviews, closable, ReviewOutcome.RELEASED, actor_id, note, now=now)


@transaction.atomic
def reject_sales(
    *, review_ids: Collection[int], actor_id: Any, note: str = "", now: datetime
) -> Judged:
    """Marks the sales as fraudulent; rejects their commissions.

    A sale whose commission is paid or in a payout stays open.
    """
    reviews = _lock(review_ids)
    earned = _commission_of(reviews)
    # If there is nothing left to reject, the review only records staff's agreement.
    gone = {
        review.sale_id for review in reviews if _is_gone(earned.get(review.sale_id))
    }
    taken = {
        key: value.pk
        for key, value in earned.items()
        if allows(StaffAction.REJECT, value)
    }
    closable = [
        review
        for review in reviews
        if review.sale_id in gone or review.sale_id in taken
    ]
    rejected = list(taken.values())
    reason = _note(note) or REJECTED
    if rejected:
        moved = reject(
            commission_ids=rejected, actor_id=actor_id, reason=reason, now=now
        )
        _require_all(moved, rejected)
    return _close(reviews, closable, ReviewOutcome.REJECTED, actor_id, note, now=now)


def _lock(review_ids: Collection[int]) -> list[FraudReview]:
    """Locks the open reviews, so that concurrent decisions on one apply once."""
    return list(
        FraudReview.objects.filter(pk__in=review_ids, outcome=ReviewOutcome.OPEN)
        .order_by("pk")
        .select_for_update(no_key=True)
    )


def _commission_of(reviews: Collection[FraudReview]) -> Mapping[int, Commission]:
    """Each sale's live commission; a rejected one is none.

    One of an affiliate to whom staff gave the order is left out: the signals were
    another's.
    """
    live = (
        Commission.objects.filter(
            sale_id__in=[review.sale_id for review in reviews],
            affiliate=F("sale__affiliate"),
            share_of__isnull=True,
        )
        .exclude(status=CommissionStatus.REJECTED)
        .select_related("sale__order_referral")
    )
    return {review.sale_id: review for review in live}


def _held_by(
    reviews: Collection[FraudReview], earned: Mapping[int, Commission]
) -> list[int]:
    """The commissions that only these reviews hold."""
    held = {
        earned[review.sale_id].pk
        for review in reviews
        if review.action == FraudAction.HOLD
        and earned[review.sale_id].status == CommissionStatus.HELD
        and not _is_held_by_decision(review, earned[review.sale_id])
    }
    return sorted(held - held_by_staff(held))


def _is_held_by_decision(review: FraudReview, commission: Commission) -> bool:
    """The decision holds a self-referral only: who judges that signal judges both."""
    is_held = commission.sale.order_referral.outcome == Outcome.HELD
    return is_held and Signal.SELF_REFERRAL not in review.signals()


def _is_gone(commission: Commission | None) -> bool:
    return commission is None or commission.status == CommissionStatus.REVERSED


def _require_all(moved: int, asked: Collection[int]) -> None:
    if moved != len(asked):
        raise StateConflict(
            "commission_moved",
            "A commission changed at the same moment, and nothing was done. Try again.",
        )


def _note(note: str) -> str:
    note = note.strip()
    if len(note) > MAX_NOTE:
        raise InvalidInput(
            "too_long", f"A note has at most {MAX_NOTE} characters.", field="note"
        )
    return note


def _close(
    reviews: Collection[FraudReview],
    closable: Collection[FraudReview],
    outcome: ReviewOutcome,
    actor_id: Any,
    note: str,
    *,
    now: datetime,
) -> Judged:
    closed = FraudReview.objects.filter(
        pk__in=[review.pk for review in closable]
    ).update(
        outcome=outcome,
        note=_note(note),
        reviewed_by_id=actor_id,
        reviewed_at=now,
    )
    return Judged(closed=closed, left=len(reviews) - closed)
