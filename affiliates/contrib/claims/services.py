"""Claims of missing sales: submitted, answered, granted and declined."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from affiliates.contrib.claims.models import MAX_NOTE, MissingSaleClaim
from affiliates.contrib.claims.rules import INACTIVE, ClaimStatus, Hints
from affiliates.contrib.claims.selectors import orders_named, own_order
from affiliates.db.records import lock
from affiliates.db.transactions import joins_request
from affiliates.emails.services import notify_affiliates, notify_staff
from affiliates.emails.types import EmailKind, News
from affiliates.errors import InvalidInput, NotAllowed, NotFound, StateConflict
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.settlement.services import override_attribution

UNDECIDED = [status for status in ClaimStatus if not status.is_decided]


@joins_request
def submit_claim(
    *, affiliate: Affiliate, hints: Hints, note: str = "", now: datetime
) -> tuple[MissingSaleClaim, bool]:
    """Answers the claim at once if the affiliate may read the order; else opens a case.

    A note about an order that is not credited to the affiliate waits for staff, too.

    Returns the case, and whether this submission added anything to it.

    An order of nobody's, of a stranger's or of another brand's makes the same queries
    and the same rows: the claim does not say which it was. The same claim again is the
    same case: until staff decide it, it takes the first note that it is given.
    Raises NotAllowed for an affiliate who is not active.
    """
    if lock(Affiliate, affiliate.pk).status != AffiliateStatus.ACTIVE:
        raise NotAllowed("affiliate_inactive", INACTIVE)
    _require_readable(hints, now=now)
    answered = _answer(affiliate, hints, note)
    claim, is_created = MissingSaleClaim.objects.get_or_create(
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
    fact, is_news = str(claim.pk), is_created
    if not is_created:
        claim, is_news = _submit_again(claim.pk, answered, note)
        fact = f"{fact}:note"
    if is_news and claim.status == ClaimStatus.OPEN:
        notify_staff(
            EmailKind.STAFF_CLAIM,
            brand_id=claim.brand_id,
            fact=fact,
            values={
                "claim_id": str(claim.pk),
                "affiliate": affiliate.code,
                "claim": claim.order_hint or claim.client_hint,
                "note": note,
            },
            now=now,
        )
    return claim, is_news


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
    """Gives the order to the affiliate, with everything it earned.

    Raises StateConflict if the claim is already decided, or the order is credited to
    the affiliate; NotFound for an order of another brand; and as
    ``settlement.services.override_attribution``.
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
    """Closes the claim with an answer for the affiliate.

    Raises InvalidInput without an answer, StateConflict if it is already decided.
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
    # In some time zone it is already tomorrow.
    latest = (now + timedelta(days=1)).date()
    if hints.ordered_on is not None and hints.ordered_on > latest:
        raise InvalidInput(
            "date_in_future", "This day is still to come.", field="ordered_on"
        )


def _answer(affiliate: Affiliate, hints: Hints, note: str) -> dict[str, Any]:
    """The case's status and order. A client's address alone never reveals an order."""
    orders = []
    if hints.order:
        orders = orders_named(hints.order, brand_id=affiliate.brand_id)
    own = own_order(orders, affiliate_id=affiliate.pk)
    return {"status": _status(own, affiliate.pk, note), "referral": own}


def _status(own: OrderReferral | None, affiliate_id: int, note: str) -> ClaimStatus:
    if own is None or (note and own.affiliate_id != affiliate_id):
        return ClaimStatus.OPEN
    return ClaimStatus.ANSWERED


def _submit_again(
    claim_id: UUID, answered: dict[str, Any], note: str
) -> tuple[MissingSaleClaim, bool]:
    """Answers by the current state, unless staff have decided in the meantime.

    Returns the claim, and whether it got its first note.
    """
    claim = lock(MissingSaleClaim, claim_id)
    if claim.status not in UNDECIDED:
        return claim, False
    own, news = answered["referral"], {}
    if own is not None:
        status = _status(own, claim.affiliate_id, note or claim.note)
        news = {"status": status, "referral": own}
    is_noted = bool(note and not claim.note)
    if is_noted:
        news = {**news, "note": note}
    return (claim.change(**news) if news else claim), is_noted


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
            "claim_id": str(claim.pk),
            "claim": claim.order_hint or claim.client_hint,
            "is_granted": status is ClaimStatus.GRANTED,
            "answer": answer,
        },
    )
    notify_affiliates([news], now=now)
    return claim
