"""Reads a delivery's facts and related rows, the backlog and the provider's health."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from django.db.models import Count, Max, Min, Q
from django.utils.timesince import timesince

from affiliates.adapter import get_adapter
from affiliates.outbox import payload
from affiliates.outbox.models.delivery import Delivery, VisitorAlias
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import Facts, LookupFacts, Operation

MAX_COUNTED = 10_000
ANSWERS = "Yes."
NOT_CALLED = "Not called yet."


def is_partial(delivery: Delivery) -> bool:
    """Whether the delivery reverses a part of a sale."""
    is_reversal = delivery.operation == Operation.REVERSAL
    return is_reversal and delivery.payload.get("amount") is not None


def visitor_ids_of(deliveries: Sequence[Delivery]) -> dict[str, str]:
    """The provider's identifiers of visitors of one integration, if they are not ours."""
    refs = {
        row.visitor_ref
        for row in deliveries
        if row.visitor_ref and row.operation != Operation.EVENT
    }
    if not refs:
        return {}
    aliases = VisitorAlias.objects.filter(
        integration=deliveries[0].integration_id, visitor_ref__in=refs
    )
    return dict(aliases.values_list("visitor_ref", "remote_id"))


def last_sent_at(delivery: Delivery) -> datetime:
    """When it may have been sent last: at the latest attempt, or else when queued.

    A restored database lacks attempts that were made until then.
    """
    sent = delivery.attempts.exclude(operation=Operation.LOOKUP)
    last_sent_at: datetime | None = sent.aggregate(last=Max("started_at"))["last"]
    known = delivery.created_at if last_sent_at is None else last_sent_at
    restored_at = delivery.integration.restored_at
    return known if restored_at is None else max(known, restored_at)


def open_click_of(delivery: Delivery) -> Delivery | None:
    """The visitor's newest click that has not arrived."""
    if not delivery.visitor_ref:
        return None
    return (
        Delivery.objects.filter(
            integration=delivery.integration_id,
            visitor_ref=delivery.visitor_ref,
            operation=Operation.CLICK,
            next_at__isnull=False,
            id__lt=delivery.pk,
        )
        .order_by("-id")
        .first()
    )


def read_facts(
    delivery: Delivery,
    operation: Operation,
    *,
    carried: Delivery | None,
    remote_ref: str,
    sent_at: datetime,
) -> Facts:
    """Reads the adapter's facts from the row. Raises if the row is unreadable.

    ``remote_ref`` is the provider's reference of a reversal's sale. No queries.
    """
    match operation:
        case Operation.CLICK:
            return payload.read_click(delivery.payload)
        case Operation.SALE | Operation.LEAD:
            click = None if carried is None else payload.read_click(carried.payload)
            return payload.read_conversion(delivery.payload, click=click)
        case Operation.REVERSAL:
            return payload.read_reversal(delivery.payload, remote_ref=remote_ref)
        case Operation.ERASURE:
            return payload.read_erasure(delivery.payload)
        case Operation.LOOKUP:
            return LookupFacts(
                order_ref=delivery.payload["order_ref"], remote_ref=delivery.remote_ref
            )
        case Operation.EVENT:
            return payload.read_event(delivery.payload, sent_at=sent_at)
        case Operation.PROBE | Operation.RESTORATION:
            raise ValueError("Nothing of the kind is ever sent from the outbox.")
    assert_never(operation)


def sale_of(reversal: Delivery) -> Delivery | None:
    return (
        Delivery.objects.filter(
            integration=reversal.integration_id,
            order_ref=reversal.order_ref,
            operation=Operation.SALE,
        )
        .exclude(order_ref="")
        .first()
    )


def is_sale_queued(integration_id: int, invoice_ref: str) -> bool:
    return Delivery.objects.filter(
        integration=integration_id, order_ref=invoice_ref, operation=Operation.SALE
    ).exists()


def is_reversed(integration_id: int, order_ref: str) -> bool:
    """Whether a reversal of the sale has arrived or may still arrive."""
    return (
        Delivery.objects.filter(
            integration=integration_id,
            order_ref=order_ref,
            operation=Operation.REVERSAL,
        )
        .exclude(state__in=[QueueState.FAILED, QueueState.GIVEN_UP])
        .exists()
    )


def deliveries_of(model: object, text: str) -> Q:
    """Finds by invoice, visitor, subject or key: indexes begin with the integration."""
    of_brands = TrackingIntegration.objects.filter(affiliate=None)
    integrations = of_brands.values_list("pk", flat=True)
    refs = {text, *get_adapter().invoice_refs(text)}
    named = Q(order_ref__in=refs) | Q(visitor_ref=text) | Q(key=text)
    return Q(integration__in=list(integrations)) & named


def describe_backlog(integration: TrackingIntegration, *, now: datetime) -> str:
    """Describes what waits, counted up to MAX_COUNTED rows; "" for nothing."""
    waiting = Delivery.objects.filter(
        integration=integration, next_at__isnull=False
    ).order_by("next_at")
    rows = Delivery.objects.filter(pk__in=waiting.values("pk")[:MAX_COUNTED])
    figures = rows.aggregate(count=Count("pk"), oldest=Min("created_at"))
    count, oldest = figures["count"], figures["oldest"]
    if oldest is None:
        return ""
    more = " or more" if count == MAX_COUNTED else ""
    return f"{count:,}{more}, the oldest for {timesince(oldest, now)}"


def describe_health(integration: TrackingIntegration, *, now: datetime) -> str:
    """Says in a sentence whether the provider answers."""
    health: IntegrationHealth | None = getattr(integration, "health", None)
    if not integration.is_active:
        return "Switched off: nothing is sent."
    if health is None or (health.last_ok_at is None and not health.failures):
        return NOT_CALLED
    if not health.failures:
        return ANSWERS
    reason = health.last_failure
    if health.paused_until and health.paused_until > now:
        wait = max(1, round((health.paused_until - now).total_seconds()))
        return (
            f"No: {health.failures} failures in a row. {reason} "
            f"Paused; the next trial is in {wait} s."
        )
    return f"Not lately: {health.failures} failures in a row. {reason}"
