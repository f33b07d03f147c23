"""What is to be told to a provider is written here, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from affiliates.integrations.delivery import payload
from affiliates.integrations.delivery.again import WAITING, send_again
from affiliates.integrations.delivery.sending.finish import BATCH
from affiliates.integrations.delivery.sending.provider import is_supported
from affiliates.integrations.delivery.wakeup import wake
from affiliates.integrations.models import (
    Delivery,
    IntegrationHealth,
    TrackingIntegration,
)
from affiliates.integrations.rules import SWITCHED_OFF, DeliveryState
from affiliates.integrations.types import (
    ConversionFacts,
    Operation,
    OutcomeKind,
    ReversalFacts,
    ReversalKind,
)

ARRIVED_BY_HAND = "Found at the provider by a person."
MISSING_BY_HAND = "Not found at the provider by a person: to be sent again."


def queue_sale(
    *,
    integration_id: int,
    invoice_ref: str,
    visitor_ref: str,
    amount: Decimal,
    currency: str,
    product_ref: str,
    customer_ref: str,
    paid_at: datetime,
    affiliate: str,
    ip: str,
    user_agent: str,
    now: datetime,
) -> None:
    """Tell the provider of a paid invoice, once. ``amount`` is net. A repeat is harmless."""
    facts = ConversionFacts(
        kind=Operation.SALE,
        order_ref=invoice_ref,
        amount=amount,
        currency=currency,
        product_ref=product_ref,
        occurred_at=paid_at,
        customer_ref=customer_ref,
        ip=ip,
        user_agent=user_agent,
        affiliate=affiliate,
    )
    _queue(
        integration_id,
        Operation.SALE,
        f"sale:{invoice_ref}",
        visitor_ref=visitor_ref,
        order_ref=invoice_ref,
        facts=facts,
        now=now,
    )


def queue_lead(
    *,
    integration_id: int,
    client_id: str,
    visitor_ref: str,
    registered_at: datetime,
    affiliate: str,
    ip: str,
    user_agent: str,
    now: datetime,
) -> None:
    """Tell the provider of a registered client, once, where it wants to know."""
    integration = TrackingIntegration.objects.get(pk=integration_id)
    if not is_supported(integration, Operation.LEAD):
        return
    facts = ConversionFacts(
        kind=Operation.LEAD,
        order_ref=client_id,
        amount=None,
        currency="",
        product_ref="",
        occurred_at=registered_at,
        customer_ref=client_id,
        ip=ip,
        user_agent=user_agent,
        affiliate=affiliate,
    )
    _queue(
        integration_id,
        Operation.LEAD,
        f"lead:{client_id}",
        visitor_ref=visitor_ref,
        order_ref="",
        facts=facts,
        now=now,
    )


def queue_reversal(
    *,
    integration_id: int,
    invoice_ref: str,
    refund_ref: str,
    visitor_ref: str,
    kind: ReversalKind,
    amount: Decimal | None,
    currency: str,
    refunded_at: datetime,
    now: datetime,
) -> None:
    """Tell the provider that money went back. ``amount`` is net; None: all of it."""
    facts = ReversalFacts(
        order_ref=invoice_ref,
        kind=kind,
        amount=amount,
        currency=currency,
        occurred_at=refunded_at,
    )
    _queue(
        integration_id,
        Operation.REVERSAL,
        payload.reversal_key(invoice_ref, refund_ref),
        visitor_ref=visitor_ref,
        order_ref=invoice_ref,
        facts=facts,
        now=now,
    )


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
    an answer does not tell a wrong address from a bad day.
    """
    IntegrationHealth.objects.filter(integration=integration).update(
        failures=0, paused_until=None
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
def settle_by_hand(delivery: Delivery, *, arrived: bool, now: datetime) -> bool:
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
    is_settled = Delivery.objects.filter(
        pk=delivery.pk, state=DeliveryState.AMBIGUOUS
    ).update(**values)
    if not is_settled:
        return False
    if delivery.operation == Operation.SALE:
        _hurry_reversals(delivery, now=now)
    wake()
    return True


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
    integration_id: int,
    operation: Operation,
    key: str,
    *,
    visitor_ref: str,
    order_ref: str,
    facts: payload.QueuedFacts,
    now: datetime,
) -> None:
    integration = TrackingIntegration.objects.get(pk=integration_id)
    is_on = integration.is_active
    state = DeliveryState.QUEUED if is_on else DeliveryState.DEAD
    Delivery.objects.bulk_create(
        [
            Delivery(
                brand_id=integration.brand_id,
                integration=integration,
                operation=operation,
                key=key,
                visitor_ref=visitor_ref,
                order_ref=order_ref,
                payload=payload.to_json(facts),
                state=state,
                next_at=now if is_on else None,
                detail="" if is_on else SWITCHED_OFF,
                created_at=now,
                finished_at=None if is_on else now,
            )
        ],
        ignore_conflicts=True,
    )
    if is_on:
        wake()
