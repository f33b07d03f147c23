"""Queues deliveries to providers, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from affiliates.outbox import payload
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.queue.services import in_batches, queue_again
from affiliates.outbox.rules import (
    RESTORED,
    SWITCHED_OFF,
    AmbiguousSales,
    may_be_repeated,
)
from affiliates.outbox.sending.plan import ERASE_BY_HAND, RESTORE_BY_HAND
from affiliates.outbox.sending.provider import is_supported
from affiliates.outbox.types import (
    ConversionFacts,
    ErasureFacts,
    NewDelivery,
    Operation,
    OutcomeKind,
    RestorationFacts,
    ReversalFacts,
    SaleFacts,
)

ARRIVED_BY_HAND = "Found at the provider by a person."
MISSING_BY_HAND = "Not found at the provider by a person: to be sent again."
WAITING = (QueueState.WAITING, QueueState.RETRY, QueueState.UNCLEAR)
# An event may be sent twice: its receiver recognises the identifier.
FINISHED = Q(state__in=[QueueState.FAILED, QueueState.GIVEN_UP]) | Q(
    state=QueueState.SENT, operation=Operation.EVENT
)


def queue_deliveries(
    integration: TrackingIntegration,
    deliveries: Sequence[NewDelivery],
    *,
    visitor_ref: str,
    known_since: datetime,
    now: datetime,
) -> None:
    """Queues deliveries about paid invoices or a registered client, each once.

    ``known_since`` is when the order was placed or the client registered. A client is
    only sent if the provider supports it. A restoration is never sent: the correction
    at the provider is left to a person.
    """
    is_doubtful = may_be_repeated(integration.restored_at, known_since, now=now)
    _insert(
        _row(
            integration,
            facts,
            payload.key_of(facts, reference),
            visitor_ref=visitor_ref,
            is_doubtful=is_doubtful and _counts_twice(facts),
            by_hand=RESTORE_BY_HAND if isinstance(facts, RestorationFacts) else "",
            now=now,
        )
        for facts, reference in deliveries
        if facts.operation is not Operation.LEAD
        or is_supported(integration, Operation.LEAD)
    )


def queue_erasure(integration: TrackingIntegration, facts: ErasureFacts) -> None:
    """Queues a delivery about an erased client, once; left to a person where the
    provider has no call for it."""
    is_sent = is_supported(integration, Operation.ERASURE)
    delivery = _row(
        integration,
        facts,
        f"{facts.operation}:{facts.customer_ref}",
        by_hand="" if is_sent else ERASE_BY_HAND,
        now=facts.occurred_at,
    )
    _insert([delivery])


def retry_deliveries(deliveries: QuerySet[Delivery], *, now: datetime) -> int:
    """Queues unfinished and given-up deliveries to be sent now; returns the number.

    A refused or given-up delivery starts anew: its age counts from now. One that may
    have arrived is looked up first if the provider supports that, else it is sent.
    Skips deliveries being sent, delivered ones except events, and those of inactive
    integrations. Each batch is a transaction, so that a million of them delay no
    sender; after an interruption, the next call continues.
    """
    integrations = TrackingIntegration.objects.filter(
        pk__in=deliveries.order_by().values("integration"), is_active=True
    )
    return sum(
        send_again(batch, integration, now=now)
        for integration in integrations
        for batch in in_batches(deliveries.filter(integration=integration))
    )


@transaction.atomic
def resume_deliveries(integration: TrackingIntegration, *, now: datetime) -> int:
    """Sends what failed because of the settings, after they were corrected.

    Returns the number of deliveries and ends a pause. A webhook sends all that failed:
    a wrong address and a temporary fault give the same answers.
    """
    IntegrationHealth.of_all.filter(integration=integration).update(
        failures=0, paused_until=None, failing_since=None
    )
    return Delivery.objects.filter(
        Q(outcome=OutcomeKind.CONFIG) | Q(operation=Operation.EVENT),
        integration=integration,
        state__in=WAITING,
        next_at__gt=now,
    ).update(next_at=now)


@transaction.atomic
def resolve_by_hand(delivery: Delivery, *, arrived: bool, now: datetime) -> bool:
    """Records whether an unclear delivery arrived; if not, it is sent again.

    Returns False and changes nothing if it is no longer unclear.
    """
    values: dict[str, Any] = (
        {
            "state": QueueState.SENT,
            "next_at": None,
            "finished_at": now,
            "detail": ARRIVED_BY_HAND,
        }
        if arrived
        else {
            "state": QueueState.RETRY,
            "next_at": now,
            "detail": MISSING_BY_HAND,
        }
    )
    is_resolved = Delivery.objects.filter(
        pk=delivery.pk, state=QueueState.UNCLEAR
    ).update(**values)
    if not is_resolved:
        return False
    if delivery.operation == Operation.SALE:
        _hurry_reversals(delivery, now=now)
    return True


@transaction.atomic
def send_again(
    rows: QuerySet[Delivery], integration: TrackingIntegration, *, now: datetime
) -> int:
    """Queues these deliveries of the integration again; returns the number."""
    # By its last outcome too: it may have been given up while unclear.
    unclear = ~Q(operation=Operation.REVERSAL) & (
        Q(state=QueueState.UNCLEAR) | Q(outcome=OutcomeKind.AMBIGUOUS)
    )
    finished = rows.filter(FINISHED).exclude(payload={})  # Erased: nothing to send.
    asked = 0
    if looks_up(integration):
        asked += rows.filter(unclear, state=QueueState.UNCLEAR).update(next_at=now)
        asked += queue_again(
            finished.filter(unclear), state=QueueState.UNCLEAR, now=now, created_at=now
        )
        rows = rows.exclude(state=QueueState.UNCLEAR, next_at=now)
    afresh = queue_again(finished, now=now, created_at=now)
    waiting = rows.filter(state__in=WAITING).exclude(next_at=now)
    return asked + afresh + queue_again(waiting, now=now)


def looks_up(integration: TrackingIntegration) -> bool:
    """Whether an unclear sale is looked up at the provider."""
    if integration.ambiguous_sales != AmbiguousSales.LOOK_UP:
        return False
    return is_supported(integration, Operation.LOOKUP)


def _hurry_reversals(sale: Delivery, *, now: datetime) -> None:
    Delivery.objects.filter(
        integration=sale.integration_id,
        order_ref=sale.order_ref,
        operation=Operation.REVERSAL,
        state__in=[QueueState.WAITING, QueueState.RETRY],
        next_at__gt=now,
    ).exclude(order_ref="").update(next_at=now)


def _counts_twice(facts: SaleFacts) -> bool:
    """Whether the provider would count the delivery again if it had been sent before."""
    if isinstance(facts, ReversalFacts):
        return facts.amount is not None
    return isinstance(facts, ConversionFacts)


def _row(
    integration: TrackingIntegration,
    facts: SaleFacts | ErasureFacts,
    key: str,
    *,
    visitor_ref: str = "",
    is_doubtful: bool = False,
    by_hand: str = "",
    now: datetime,
) -> Delivery:
    is_on = integration.is_active
    order_ref = ""
    if not isinstance(facts, ErasureFacts) and facts.operation is not Operation.LEAD:
        order_ref = facts.order_ref
    is_for_a_person = is_on and by_hand != ""
    state = QueueState.WAITING if is_on else QueueState.GIVEN_UP
    detail = "" if is_on else SWITCHED_OFF
    if is_for_a_person:
        state, detail = QueueState.UNCLEAR, by_hand
    if is_on and is_doubtful:
        state, detail = QueueState.UNCLEAR, RESTORED
        is_for_a_person = facts.operation is Operation.REVERSAL or not looks_up(
            integration
        )
    return Delivery(
        brand_id=integration.brand_id,
        integration=integration,
        operation=facts.operation,
        key=key,
        visitor_ref=visitor_ref,
        order_ref=order_ref,
        payload=payload.to_json(facts),
        state=state,
        next_at=now if is_on and not is_for_a_person else None,
        detail=detail,
        outcome=OutcomeKind.AMBIGUOUS if is_doubtful and is_on else "",
        created_at=now,
        finished_at=None if is_on else now,
    )


def _insert(deliveries: Iterable[Delivery]) -> None:
    """Inserts the rows; a row whose key is queued already is ignored."""
    Delivery.objects.bulk_create(list(deliveries), ignore_conflicts=True)
