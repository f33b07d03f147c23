"""Claims of sales that affiliates miss: submitted, answered, granted and declined."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from affiliates.claims.models import MAX_NOTE, MissingSaleClaim
from affiliates.claims.rules import ClaimStatus, Hints
from affiliates.claims.selectors import orders_named, own_order
from affiliates.emails.services import notify_affiliates, notify_staff
from affiliates.emails.types import EmailKind, News
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.program.models import Affiliate
from affiliates.records import lock
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.settlement.services import override_attribution

UNDECIDED = [one for one in ClaimStatus if not one.is_decided]


@transaction.atomic
def submit_claim(
    *, affiliate: Affiliate, hints: Hints, note: str = "", now: datetime
) -> MissingSaleClaim:
    """Answer the claim at once where the order is theirs to read; else open a case.

    An order of nobody's, of a stranger's or of another brand's makes the same queries
    and the same rows: the claim does not say which it was. The same claim again is the
    same case: until staff decide it, it takes the first note that it is given.
    """
    _require_readable(hints, now=now)
    answered = _answer(affiliate, hints)
    claim, is_new = MissingSaleClaim.objects.get_or_create(
        affiliate=affiliate,
        key=hints.key,
        defaults={
            "brand_id": affiliate.brand_id,
            "order_hint": hints.order,
            "client_hint": hints.client_email,
            "ordered_on": hints.ordered_on,
            "note": note,
            "created_at": now,
            **answered,
        },
    )
    fact = str(claim.pk)
    if not is_new:
        claim = _submit_again(claim.pk, answered, note)
        fact = f"{fact}:note"
    if not claim.is_repeat and _is_for_staff(claim):
        notify_staff(
            EmailKind.STAFF_CLAIM,
            brand_id=claim.brand_id,
            fact=fact,
            values={
                "affiliate": affiliate.code,
                "claim": claim.order_hint or claim.client_hint,
                "note": note,
            },
            now=now,
        )
    return claim


@transaction.atomic
def grant_claim(
    *,
    claim_id: UUID,
    referral_id: int,
    reason: str,
    answer: str = "",
    actor_id: Any,
    now: datetime,
) -> MissingSaleClaim:
    """Give the order to the affiliate, and with it everything it earned.

    Raises StateConflict when the claim is decided already, or the order is credited to
    the affiliate; NotFound for an order of another brand; and whatever
    ``ledger.services.override_attribution`` does.
    """
    claim = _lock_undecided(claim_id)
    answer = _text(answer, "answer")
    order = OrderReferral.objects.filter(
        pk=referral_id, brand_id=claim.brand_id
    ).first()
    if order is None:
        raise NotFound
    is_theirs = order.affiliate_id == claim.affiliate_id
    if is_theirs and order.outcome == Outcome.CREDITED:
        raise StateConflict(
            "already_credited", "This order is credited to the affiliate already."
        )
    override_attribution(
        referral_id=order.pk,
        affiliate_id=claim.affiliate_id,
        reason=reason,
        actor_id=actor_id,
        now=now,
    )
    claim.referral = order
    return _decide(claim, ClaimStatus.GRANTED, answer, actor_id=actor_id, now=now)


@transaction.atomic
def decline_claim(
    *, claim_id: UUID, answer: str, actor_id: Any, now: datetime
) -> MissingSaleClaim:
    """Close the claim with an answer for the affiliate.

    Raises InvalidInput without an answer, StateConflict when it is decided already.
    """
    claim = _lock_undecided(claim_id)
    answer = _text(answer, "answer")
    if not answer:
        raise InvalidInput(
            "answer_required", "Write what the affiliate is to read.", field="answer"
        )
    return _decide(claim, ClaimStatus.DECLINED, answer, actor_id=actor_id, now=now)


def _require_readable(hints: Hints, *, now: datetime) -> None:
    if not hints.order and not hints.client_email:
        raise InvalidInput(
            "order_or_client_required",
            "Name the order or invoice, or the client's e-mail address.",
            field="order",
        )
    # Somewhere tomorrow has begun already.
    latest = (now + timedelta(days=1)).date()
    if hints.ordered_on is not None and hints.ordered_on > latest:
        raise InvalidInput(
            "date_in_future", "This day is still to come.", field="ordered_on"
        )


def _answer(affiliate: Affiliate, hints: Hints) -> dict[str, Any]:
    """The case's status and order. A client's address alone never tells an order."""
    orders = []
    if hints.order:
        orders = orders_named(hints.order, brand_id=affiliate.brand_id)
    own = own_order(orders, affiliate_id=affiliate.pk)
    status = ClaimStatus.OPEN if own is None else ClaimStatus.ANSWERED
    return {"status": status, "referral": own}


def _is_for_staff(claim: MissingSaleClaim) -> bool:
    """Whoever adds what they know to an order that they lost asks a person too."""
    lost = claim.referral
    if claim.note and lost is not None and lost.affiliate_id != claim.affiliate_id:
        return True
    return claim.status == ClaimStatus.OPEN


def _submit_again(
    claim_id: UUID, answered: dict[str, Any], note: str
) -> MissingSaleClaim:
    """As things are by now, unless staff has decided, perhaps this very moment."""
    claim = lock(MissingSaleClaim, claim_id)
    claim.is_repeat = True
    if claim.status not in UNDECIDED:
        return claim
    news = {} if answered["referral"] is None else answered
    if note and not claim.note:
        news = {**news, "note": note}
        claim.is_repeat = False
    return claim.change(**news) if news else claim


def _lock_undecided(claim_id: UUID) -> MissingSaleClaim:
    claim = lock(MissingSaleClaim, claim_id)
    if ClaimStatus(claim.status).is_decided:
        raise StateConflict("already_decided", "This claim is decided already.")
    return claim


def _text(value: str, field: str) -> str:
    value = value.strip()
    if len(value) > MAX_NOTE:
        raise InvalidInput("too_long", f"At most {MAX_NOTE} characters.", field=field)
    return value


def _decide(
    claim: MissingSaleClaim,
    status: ClaimStatus,
    answer: str,
    *,
    actor_id: Any,
    now: datetime,
) -> MissingSaleClaim:
    claim.status = status
    claim.answer = answer
    claim.decided_by_id = actor_id
    claim.decided_at = now
    claim.save(
        update_fields=["status", "answer", "referral", "decided_by", "decided_at"]
    )
    news = News(
        kind=EmailKind.CLAIM_ANSWERED,
        brand_id=claim.brand_id,
        affiliate_id=claim.affiliate_id,
        fact=str(claim.pk),
        values={
            "claim": claim.order_hint or claim.client_hint,
            "is_granted": status is ClaimStatus.GRANTED,
            "answer": answer,
        },
    )
    notify_affiliates([news], now=now)
    return claim
