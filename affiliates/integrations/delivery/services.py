"""What a provider is to be notified of is written here, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from affiliates.integrations.delivery import payload
from affiliates.integrations.delivery.sending.finish import BATCH
from affiliates.integrations.delivery.sending.provider import is_supported
from affiliates.integrations.delivery.wakeup import wake
from affiliates.integrations.models import (
    Delivery,
    IntegrationHealth,
    TrackingIntegration,
)
from affiliates.integrations.rules import (
    SWITCHED_OFF,
    AmbiguousSales,
    DeliveryState,
)
from affiliates.integrations.types import (
    ConversionFacts,
    Operation,
    OutcomeKind,
    ReversalFacts,
)

ARRIVED_BY_HAND = "Found at the provider by a person."
MISSING_BY_HAND = "Not found at the provider by a person: to be sent again."
WAITING = (DeliveryState.QUEUED, DeliveryState.RETRY, DeliveryState.AMBIGUOUS)
# An event may be sent twice: its receiver knows it by its identifier.
FINISHED = Q(state__in=[DeliveryState.FAILED, DeliveryState.DEAD]) | Q(
    state=DeliveryState.DONE, operation=Operation.EVENT
)


def queue_conversion(
    integration_id: int, facts: ConversionFacts, *, visitor_ref: str, now: datetime
) -> None:
    """Notify the provider of a paid invoice or a registered client, once.

    Of a client where it wants to know. A repeat is harmless.
    """
    integration = TrackingIntegration.objects.get(pk=integration_id)
    is_lead = facts.kind is Operation.LEAD
    if not is_lead or is_supported(integration, Operation.LEAD):
        key = f"{facts.kind}:{facts.order_ref}"
        _queue(integration, facts, key, visitor_ref=visitor_ref, now=now)


def queue_reversal(
    integration_id: int,
    facts: ReversalFacts,
    *,
    refund_ref: str,
    visitor_ref: str,
    now: datetime,
) -> None:
    """Notify the provider that money went back."""
    integration = TrackingIntegration.objects.get(pk=integration_id)
    key = payload.reversal_key(facts.order_ref, refund_ref)
    _queue(integration, facts, key, visitor_ref=visitor_ref, now=now)


def retry_deliveries(deliveries: QuerySet[Delivery], *, now: datetime) -> int:
    """Have what is unfinished or given up sent again now. How many deliveries that are.

    What was refused or given up starts afresh: its age counts from now. Of what may have
    arrived nothing is sent blindly where the provider can be asked first; where it
    cannot, it is sent. Leaves alone what is being sent or delivered, and what belongs to
    integrations that are switched off. A batch is a transaction, so that a million of
    them hold up no sender; ended half-way, the same again does the rest.
    """
    integrations = TrackingIntegration.objects.filter(
        pk__in=deliveries.order_by().values("integration"), is_active=True
    )
    count = sum(
        send_again(batch, integration, now=now)
        for integration in integrations
        for batch in _batches(deliveries.filter(integration=integration))
    )
    wake()
    return count


@transaction.atomic
def resume_deliveries(integration: TrackingIntegration, *, now: datetime) -> int:
    """The integration was put right: what failed for its settings is sent now.

    How many deliveries that are. A pause ends too. Of a webhook it is all that failed:
    an answer looks the same for a wrong address and on a bad day.
    """
    IntegrationHealth.of_all.filter(integration=integration).update(
        failures=0, paused_until=None, failing_since=None
    )
    count = Delivery.objects.filter(
        Q(outcome=OutcomeKind.CONFIG) | Q(operation=Operation.EVENT),
        integration=integration,
        state__in=WAITING,
        next_at__gt=now,
    ).update(next_at=now)
    wake()
    return count


@transaction.atomic
def resolve_by_hand(delivery: Delivery, *, arrived: bool, now: datetime) -> bool:
    """Somebody looked whether an unclear delivery arrived; if not, it is sent again.

    False, and nothing changed, when it is not unclear any more.
    """
    values: dict[str, Any] = (
        {
            "state": DeliveryState.DONE,
            "next_at": None,
            "finished_at": now,
            "detail": ARRIVED_BY_HAND,
        }
        if arrived
        else {
            "state": DeliveryState.RETRY,
            "next_at": now,
            "detail": MISSING_BY_HAND,
        }
    )
    is_resolved = Delivery.objects.filter(
        pk=delivery.pk, state=DeliveryState.AMBIGUOUS
    ).update(**values)
    if not is_resolved:
        return False
    if delivery.operation == Operation.SALE:
        _hurry_reversals(delivery, now=now)
    wake()
    return True


@transaction.atomic
def send_again(
    rows: QuerySet[Delivery], integration: TrackingIntegration, *, now: datetime
) -> int:
    """Bring these deliveries of the integration back on their way. How many they are."""
    # By its last outcome too: it may have been given up while nobody knew.
    unclear = ~Q(operation=Operation.REVERSAL) & (
        Q(state=DeliveryState.AMBIGUOUS) | Q(outcome=OutcomeKind.AMBIGUOUS)
    )
    finished = rows.filter(FINISHED)
    asked = 0
    if _looks_up(integration):
        asked += rows.filter(unclear, state=DeliveryState.AMBIGUOUS).update(next_at=now)
        asked += finished.filter(unclear).update(
            state=DeliveryState.AMBIGUOUS,
            next_at=now,
            created_at=now,
            finished_at=None,
        )
        rows = rows.exclude(state=DeliveryState.AMBIGUOUS, next_at=now)
    afresh = finished.update(
        state=DeliveryState.RETRY, next_at=now, created_at=now, finished_at=None
    )
    waiting = rows.filter(state__in=WAITING).exclude(next_at=now)
    again = waiting.update(state=DeliveryState.RETRY, next_at=now)
    return asked + afresh + again


def _looks_up(integration: TrackingIntegration) -> bool:
    if integration.ambiguous_sales != AmbiguousSales.LOOK_UP:
        return False
    return is_supported(integration, Operation.LOOKUP)


def _batches(deliveries: QuerySet[Delivery]) -> Iterator[QuerySet[Delivery]]:
    keys = deliveries.order_by("pk").values_list("pk", flat=True)
    last = 0
    while batch := list(keys.filter(pk__gt=last)[:BATCH]):
        yield Delivery.objects.filter(pk__in=batch)
        last = batch[-1]


def _hurry_reversals(sale: Delivery, *, now: datetime) -> None:
    Delivery.objects.filter(
        integration=sale.integration_id,
        order_ref=sale.order_ref,
        operation=Operation.REVERSAL,
        state__in=[DeliveryState.QUEUED, DeliveryState.RETRY],
        next_at__gt=now,
    ).exclude(order_ref="").update(next_at=now)


def _queue(
    integration: TrackingIntegration,
    facts: ConversionFacts | ReversalFacts,
    key: str,
    *,
    visitor_ref: str,
    now: datetime,
) -> None:
    is_on = integration.is_active
    is_lead = facts.operation is Operation.LEAD
    delivery = Delivery(
        brand_id=integration.brand_id,
        integration=integration,
        operation=facts.operation,
        key=key,
        visitor_ref=visitor_ref,
        order_ref="" if is_lead else facts.order_ref,
        payload=payload.to_json(facts),
        state=DeliveryState.QUEUED if is_on else DeliveryState.DEAD,
        next_at=now if is_on else None,
        detail="" if is_on else SWITCHED_OFF,
        created_at=now,
        finished_at=None if is_on else now,
    )
    Delivery.objects.bulk_create([delivery], ignore_conflicts=True)
    if is_on:
        wake()
