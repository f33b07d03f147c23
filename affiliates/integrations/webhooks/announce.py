"""What outsiders are notified of: Django signals and, by the outbox, webhooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any

from django.db import router, transaction

from affiliates import signals
from affiliates.core.enums import LabelledEnum
from affiliates.integrations.delivery import payload
from affiliates.integrations.delivery.wakeup import wake
from affiliates.integrations.models import MAX_KEY, MAX_VISITOR_REF, Delivery
from affiliates.integrations.selectors import active_webhook_of, active_webhooks
from affiliates.integrations.types import Operation

MESSAGE_ID_DIGITS = 32


class FactKind(LabelledEnum):
    CLIENT_REFERRED = "client.referred", "A client of an affiliate's registered"
    REFERRAL_RECORDED = "referral.recorded", "An order's referral was recorded"
    SALE_RECORDED = "sale.recorded", "A sale was recorded"
    SALE_REVERSED = "sale.reversed", "A sale or a part of it was taken back"
    COMMISSION_CHANGED = "commission.changed", "A commission changed"
    PAYOUT_CHANGED = "payout.changed", "A payout changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that came true, as outsiders are notified of it.

    ``subject`` names what it is about (``invoice:INV-1``, ``commission:17``): facts about
    one subject reach a webhook in the order in which they were announced. ``key`` tells
    this fact from every other of its kind in the brand, and is the same however often the
    fact is announced: the subject, and a sequence or a state where a subject has several
    (``commission:17:3``). ``data`` holds JSON values only; amounts are decimal strings
    beside their currency, moments are ISO 8601 texts. ``affiliate_id``: whose own it is.
    """

    kind: FactKind
    brand_id: int
    subject: str
    key: str
    data: Mapping[str, Any]
    affiliate_id: int | None = None

    def __post_init__(self) -> None:
        if not self.key:
            raise ValueError("A fact needs a key.")
        if not 0 < len(self.subject) <= MAX_VISITOR_REF:
            raise ValueError(f"A fact's subject has 1 to {MAX_VISITOR_REF} characters.")


# All that an affiliate's own webhook is told, and of what: nothing that names a client,
# another affiliate or a reason of staff's. What is not here is told to the brand alone.
OWN_DATA: Mapping[str, Sequence[str]] = {
    FactKind.CLIENT_REFERRED: ("referral_id", "registered_at"),
    FactKind.REFERRAL_RECORDED: ("order_ref", "outcome", "converted_at"),
    FactKind.COMMISSION_CHANGED: (
        "commission_id",
        "order_ref",
        "status",
        "amount",
        "left",
        "currency",
    ),
    FactKind.PAYOUT_CHANGED: ("payout_id", "status", "before", "amount", "currency"),
}


_SIGNALS = {
    FactKind.CLIENT_REFERRED: signals.client_referred,
    FactKind.REFERRAL_RECORDED: signals.referral_recorded,
    FactKind.SALE_RECORDED: signals.sale_recorded,
    FactKind.SALE_REVERSED: signals.sale_reversed,
    FactKind.COMMISSION_CHANGED: signals.commission_changed,
    FactKind.PAYOUT_CHANGED: signals.payout_changed,
}


_is_silent = ContextVar("affiliates_is_silent", default=False)


@contextmanager
def unannounced() -> Iterator[None]:
    """Nobody hears of what is written in here: it came true elsewhere, long ago."""
    token = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(token)


def is_unannounced() -> bool:
    return _is_silent.get()


def announce(facts: Sequence[Fact], *, now: datetime) -> None:
    """Tell outsiders, once the caller's transaction is committed.

    A delivery for each active webhook of the brand that wants the kind, and for the one
    of the affiliate whose own it is, is written in that transaction; a fact that was
    announced before is not sent to it again. Without such a webhook nothing is asked of
    the database.
    """
    if is_unannounced():
        return
    deliveries = [row for fact in facts for row in _deliveries(fact, now=now)]
    if deliveries:
        Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)
        wake()
    for fact in facts:
        transaction.on_commit(
            partial(_signal, fact, at=now), using=router.db_for_write(Delivery)
        )


def _deliveries(fact: Fact, *, now: datetime) -> Iterator[Delivery]:
    key = f"{fact.kind}:{fact.key}"
    digest = sha256(f"{fact.brand_id}:{key}".encode()).hexdigest()
    for webhook_id, data in _told(fact):
        yield Delivery(
            brand_id=fact.brand_id,
            integration_id=webhook_id,
            operation=Operation.EVENT,
            key=key if len(key) <= MAX_KEY else f"{fact.kind}:{digest}",
            # Deliveries of one visitor go in their order; so do those of one subject.
            visitor_ref=fact.subject,
            payload=payload.event(
                message_id=f"msg_{digest[:MESSAGE_ID_DIGITS]}",
                kind=fact.kind,
                occurred_at=now.astimezone(UTC),
                data=data,
            ),
            next_at=now,
            created_at=now,
        )


def _told(fact: Fact) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The webhooks that want it, each with what it may be told."""
    for webhook in active_webhooks(fact.brand_id):
        if webhook.wants(fact.kind):
            yield webhook.id, fact.data
    if fact.affiliate_id is None or fact.kind not in OWN_DATA:
        return
    own = active_webhook_of(fact.affiliate_id)
    if own is not None and own.wants(fact.kind):
        yield own.id, {name: fact.data[name] for name in OWN_DATA[fact.kind]}


def _signal(fact: Fact, *, at: datetime) -> None:
    _SIGNALS[fact.kind].send_robust(
        sender=Fact,
        brand_id=fact.brand_id,
        subject=fact.subject,
        key=fact.key,
        data=fact.data,
        at=at,
    )
