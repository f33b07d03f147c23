"""The parts of every step of a payout: lock, move, record who did it, announce."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from affiliates.core.money import decimal_text
from affiliates.errors import AffiliatesError, NotFound, StateConflict
from affiliates.ledger import services as books
from affiliates.ledger.rules import PATHS, Movement, PostingKind
from affiliates.payouts.emails import tell_of_payout
from affiliates.payouts.models import Payout, PayoutEvent
from affiliates.payouts.providers.protocol import Way
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.rules import (
    COOLS_OFF,
    INACTIVE,
    PayoutStatus,
    is_cooling_off,
    is_credit_under_way,
)
from affiliates.payouts.sending_models import PayoutSending
from affiliates.program.rules import AffiliateStatus
from affiliates.webhooks.announce import Fact, FactKind, announce

PREPARED = "Prepared: a second person has to approve it."
# The columns that a step may change.
MOVED = (
    *("status", "reason", "finished_at", "remote_ref", "batch"),
    *("received_amount", "received_currency"),
    *("is_for_two", "prepared_by", "approved_by", "seal"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkOutcome:
    """The number of payouts that moved, and the reason for each that did not.

    ``prepared`` were approved by the first of two persons.
    """

    done: int
    refused: tuple[str, ...]
    prepared: int = 0


def lock_payouts(payout_ids: Sequence[int]) -> list[Payout]:
    """Locks them in the order of their keys, as all callers do. Omits unknown ones."""
    return list(
        Payout.objects.filter(pk__in=payout_ids)
        .select_related("affiliate", "destination", "brand")
        .select_for_update(of=("self",), no_key=True)
        .order_by("pk")
    )


def lock_payout(payout_id: int) -> Payout:
    """Raises NotFound."""
    for payout in lock_payouts([payout_id]):
        return payout
    raise NotFound


def move(
    payout: Payout,
    status: PayoutStatus,
    *,
    actor_id: Any,
    reason: str = "",
    now: datetime,
) -> None:
    """Gives the locked payout this status, with its event."""
    before, payout.status = payout.status, status
    payout.reason = reason
    payout.finished_at = None if status.is_open else now
    payout.save(update_fields=MOVED)
    note(payout, before=before, actor_id=actor_id, now=now)


def approve(payout: Payout, *, is_for_two: bool, actor_id: Any, now: datetime) -> None:
    """Approves the locked payout, as ``rules.judge_approval`` has allowed."""
    payout.is_for_two = is_for_two
    payout.approved_by_id = actor_id
    move(payout, PayoutStatus.APPROVED, actor_id=actor_id, now=now)


def prepare(payout: Payout, *, actor_id: Any, now: datetime) -> None:
    """Records who is the first of two persons: the locked payout stays requested."""
    payout.change(prepared_by_id=actor_id)
    PayoutEvent.objects.create(
        payout=payout,
        before=payout.status,
        after=payout.status,
        reason=PREPARED,
        actor_id=actor_id,
        at=now,
    )


def note(payout: Payout, *, before: str, actor_id: Any, now: datetime) -> None:
    """Adds the event of the payout's status, announces it, notifies the affiliate."""
    event = PayoutEvent.objects.create(
        payout=payout,
        before=before,
        after=payout.status,
        reason=payout.reason,
        actor_id=actor_id,
        at=now,
    )
    fact = Fact(
        kind=FactKind.PAYOUT_CHANGED,
        brand_id=payout.brand_id,
        affiliate_id=payout.affiliate_id,
        subject=f"payout:{payout.pk}",
        key=f"payout:{payout.pk}:{event.pk}",
        data={
            "payout_id": payout.pk,
            "affiliate": payout.affiliate.code,
            "destination": payout.destination.kind,
            "currency": payout.currency,
            "amount": decimal_text(payout.amount, payout.currency),
            "status": payout.status,
            "before": before,
            "reason": payout.reason,
            "reference": payout.remote_ref,
        },
    )
    announce([fact], now=now)
    tell_of_payout(payout, actor_id=actor_id, now=now)


def post(payout: Payout, kind: PostingKind, *, now: datetime) -> None:
    """Moves the payout's whole amount. Each kind can be posted once per payout."""
    (source,), (target,) = PATHS[kind]
    movement = Movement(
        kind=kind,
        key=f"payout:{payout.pk}:{kind}",
        source=source,
        target=target,
        affiliate_id=payout.affiliate_id,
        brand_id=payout.brand_id,
        currency=payout.currency,
        amount=payout.amount,
        payout_id=payout.pk,
    )
    books.post([movement], now=now)


def way_of(payout: Payout) -> Way | None:
    """None if the app of its provider is not installed any more."""
    provider = PROVIDERS.get(payout.destination.kind)
    return provider.way if provider else None


def is_own(payout: Payout, actor_id: Any) -> bool:
    """Whether the payout would pay the acting person, who may be an affiliate."""
    return actor_id is not None and payout.affiliate.user_id == actor_id


def require_paid(payout: Payout) -> None:
    """Raises StateConflict for an affiliate suspended since the payout was approved."""
    if not AffiliateStatus(payout.affiliate.status).is_paid:
        raise StateConflict(INACTIVE.code, f"Payout {payout.pk}: {INACTIVE.detail}")


def require_cooled_off(payout: Payout, *, now: datetime) -> None:
    """Raises StateConflict while the affiliate is cooling off."""
    if is_cooling_off(payout.affiliate.cools_off_until, now=now):
        raise StateConflict(COOLS_OFF.code, f"Payout {payout.pk}: {COOLS_OFF.detail}")


def require_no_credit_under_way(payout: Payout, *, now: datetime) -> None:
    """Raises StateConflict while a confirmation may be crediting the wallet."""
    last = payout.events.order_by("-id").first()
    if last is not None and is_credit_under_way(last.at, now=now):
        raise StateConflict(
            "credit_under_way",
            "Somebody is confirming it. Look again in two minutes.",
        )


def require_not_being_sent(payout: Payout) -> None:
    """Raises StateConflict while its batch is sent, or looked up, without a person."""
    if payout.batch_id is None:
        return
    under_way = PayoutSending.objects.filter(
        batch=payout.batch_id, next_at__isnull=False
    )
    if under_way.exists():
        raise StateConflict(
            "being_sent",
            "The provider may be paying it. Look at its batch: its end is booked by "
            "itself when the provider says it.",
        )


def in_turn(payout_ids: Sequence[int], act: Callable[[int], object]) -> BulkOutcome:
    """Handles one after another: a refusal does not stop the others."""
    done, refused = 0, []
    for payout_id in sorted(set(payout_ids)):
        try:
            act(payout_id)
        except AffiliatesError as error:
            refused.append(f"Payout {payout_id}: {error.detail}")
        else:
            done += 1
    return BulkOutcome(done=done, refused=tuple(refused))
