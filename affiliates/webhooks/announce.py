"""Announces facts to outsiders: by Django signals and, with the outbox, webhooks."""

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
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from affiliates import signals
from affiliates.outbox import payload
from affiliates.outbox.active import active_webhook_of, active_webhooks
from affiliates.outbox.models.delivery import MAX_KEY, MAX_VISITOR_REF, Delivery
from affiliates.outbox.types import Operation

MESSAGE_ID_DIGITS = 32


class FactKind(TextChoices):
    CLIENT_REFERRED = "client.referred", _("A referred client registered")
    REFERRAL_RECORDED = "referral.recorded", _("An order's referral was recorded")
    SALE_RECORDED = "sale.recorded", "A sale was recorded"
    SALE_REVERSED = "sale.reversed", "A sale or a part of it was taken back"
    SALE_RESTORED = "sale.restored", "A sale or a part of it was given back"
    COMMISSION_CHANGED = "commission.changed", _("A commission changed")
    PAYOUT_CHANGED = "payout.changed", _("A payout changed")
    PERSON_ERASED = "person.erased", "A person's data was erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """An event for outsiders.

    ``subject`` names its object (``invoice:INV-1``, ``commission:17``): a webhook gets
    the facts about one subject in the order in which they were announced. ``key`` is
    unique among the brand's facts of that kind and the same for every repetition: the
    subject, and a sequence or a state if a subject has several (``commission:17:3``).
    ``data`` has JSON values only; amounts are decimal strings beside their currency,
    moments are ISO 8601 texts. ``affiliate_id`` is the affiliate that the fact belongs
    to.
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


# All facts and data for an affiliate's own webhook: nothing that names a client,
# another affiliate or a reason of staff's. Everything else is sent to the brand only.
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
    FactKind.SALE_RESTORED: signals.sale_restored,
    FactKind.COMMISSION_CHANGED: signals.commission_changed,
    FactKind.PAYOUT_CHANGED: signals.payout_changed,
    FactKind.PERSON_ERASED: signals.person_erased,
}


_is_silent = ContextVar("affiliates_is_silent", default=False)


@contextmanager
def unannounced() -> Iterator[None]:
    """Suppresses announcements in this block: its facts are old, from elsewhere."""
    token = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(token)


def is_unannounced() -> bool:
    return _is_silent.get()


def announce(facts: Sequence[Fact], *, now: datetime) -> None:
    """Notifies outsiders once the caller's transaction is committed.

    In that transaction it writes a delivery for each active webhook of the brand that
    wants the kind, and for the webhook of the fact's affiliate. A webhook gets each
    fact only once. Without such a webhook there is no query.
    """
    if is_unannounced():
        return
    deliveries = [row for fact in facts for row in _deliveries(fact, now=now)]
    if deliveries:
        Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)
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
            # Deliveries of one visitor are sent in order, and so are those of one
            # subject.
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
    """The ids of the webhooks that want the fact, each with the data it may get."""
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
