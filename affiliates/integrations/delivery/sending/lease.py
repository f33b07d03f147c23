"""Which deliveries a sender takes: in one short transaction, and nobody else's.

What is taken is leased: ``next_at`` moves to the moment the sender is presumed dead, and
that very value is its proof of ownership until the delivery is finished.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from affiliates.conf import conf
from affiliates.integrations.models import (
    Delivery,
    IntegrationHealth,
    TrackingIntegration,
)
from affiliates.integrations.pacing import MAX_PAUSE, lease_size
from affiliates.integrations.rules import CLICK_PATIENCE, SALE_PATIENCE, DeliveryState
from affiliates.integrations.types import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Deliveries that are the sender's until ``fence``; each holds it as ``next_at``."""

    integration: TrackingIntegration
    deliveries: tuple[Delivery, ...]
    fence: datetime
    is_trial: bool


def due_integrations(now: datetime) -> list[tuple[int, int | None]]:
    """Active integrations with something to send, but those that are left alone now.

    Each with the affiliate whose webhook it is; the brands' own first.
    """
    due = Delivery.objects.filter(integration=OuterRef("pk"), next_at__lte=now)
    return list(
        TrackingIntegration.objects.filter(Exists(due), is_active=True)
        .exclude(
            health__paused_until__gt=now,
            health__paused_until__lte=now + _longest_wait(),
        )
        .order_by(F("affiliate").asc(nulls_first=True), "pk")
        .values_list("pk", "affiliate_id")
    )


def due_deliveries(integration_id: int, *, now: datetime) -> QuerySet[Delivery]:
    """What may be sent now: of every visitor the earliest only.

    A sale waits ten minutes for its visitor's clicks and leads, and a day for an earlier
    sale that has not been sent. A reversal waits for its own sale (``plan``) and for the
    sale's earlier ones: a provider may be told what is left, not what goes. Nothing else
    waits for it. By ``next_at`` alone, as the index has it: many rows may share the moment.
    """
    reversal = Operation.REVERSAL
    earlier_of_order = Delivery.objects.filter(
        integration=OuterRef("integration_id"),
        order_ref=OuterRef("order_ref"),
        operation=reversal,
        next_at__isnull=False,
        id__lt=OuterRef("id"),
    ).exclude(order_ref="")
    earlier = Delivery.objects.filter(
        integration=OuterRef("integration_id"),
        visitor_ref=OuterRef("visitor_ref"),
        next_at__isnull=False,
        id__lt=OuterRef("id"),
    ).exclude(operation=reversal)
    unsent_sale = earlier.filter(
        operation=Operation.SALE, created_at__gt=now - SALE_PATIENCE
    ).exclude(state=DeliveryState.AMBIGUOUS)
    impatient = Q(
        ~Exists(unsent_sale),
        operation=Operation.SALE,
        created_at__lte=now - CLICK_PATIENCE,
    )
    return Delivery.objects.filter(
        # In this order: of a click nobody asks for an order's reversals.
        Q(operation=reversal) & ~Exists(earlier_of_order)
        | ~Q(operation=reversal) & (Q(visitor_ref="") | ~Exists(earlier) | impatient),
        integration=integration_id,
        next_at__lte=now,
    ).order_by("next_at")


@transaction.atomic
def take(integration_id: int, *, now: datetime) -> Work | datetime | None:
    """Take what is due, as much as the breaker and the rate allow.

    None when there is nothing to do or it is not allowed now; the moment when there are
    requests left again where the rate is used up.
    """
    health = lock_health(integration_id)
    horizon = now + _longest_wait()
    if health.paused_until is not None and now < health.paused_until <= horizon:
        return None
    if health.next_slot_at is not None and now < health.next_slot_at <= horizon:
        return health.next_slot_at
    integration = TrackingIntegration.objects.get(pk=integration_id)
    if not integration.is_active:
        return None
    is_trial = health.paused_until is not None
    is_single = is_trial or integration.affiliate_id is not None
    limit = 1 if is_single else lease_size(integration.requests_per_second)
    deliveries = _pick(integration_id, limit=limit, now=now)
    if not deliveries:
        return None
    fence = now + lease()
    Delivery.objects.filter(pk__in=[row.pk for row in deliveries]).update(next_at=fence)
    health.next_slot_at = now + len(deliveries) * _pace(integration)
    if is_trial:
        # Nobody else tries meanwhile; a dead trial is followed by another.
        health.paused_until = fence
    health.save(update_fields=["next_slot_at", "paused_until"])
    return Work(
        integration=integration, deliveries=deliveries, fence=fence, is_trial=is_trial
    )


def _pace(integration: TrackingIntegration) -> timedelta:
    """The time that a delivery uses up."""
    if integration.affiliate_id is None:
        return timedelta(seconds=1) / integration.requests_per_second
    return timedelta(hours=1) / conf.own_webhook_calls_per_hour


def release(deliveries: Iterable[Delivery], *, fence: datetime, now: datetime) -> None:
    """Give back what was taken and not begun."""
    Delivery.objects.filter(
        pk__in=[row.pk for row in deliveries], next_at=fence
    ).update(next_at=now)


def end_trial(integration_id: int, *, fence: datetime, now: datetime) -> None:
    """The trial called nobody: the next delivery is the trial."""
    IntegrationHealth.of_all.filter(pk=integration_id, paused_until=fence).update(
        paused_until=now
    )


def lock_health(integration_id: int) -> IntegrationHealth:
    """The integration's health, made when absent, locked until the transaction ends."""
    locked = IntegrationHealth.of_all.select_for_update(no_key=True).filter(
        pk=integration_id
    )
    health = locked.first()
    if health is None:
        IntegrationHealth.of_all.bulk_create(
            [IntegrationHealth(integration_id=integration_id)], ignore_conflicts=True
        )
        health = locked.get()
    return health


def lease() -> timedelta:
    return timedelta(seconds=conf.delivery_lease_seconds)


def _longest_wait() -> timedelta:
    """What is further ahead was written by a clock that went wrong: it holds up nobody."""
    return lease() + MAX_PAUSE


def _pick(integration_id: int, *, limit: int, now: datetime) -> tuple[Delivery, ...]:
    rows = due_deliveries(integration_id, now=now).select_for_update(
        skip_locked=True, of=("self",), no_key=True
    )[:limit]
    chosen: dict[str, Delivery] = {}
    for row in rows:
        is_alone = not row.visitor_ref or row.operation == Operation.REVERSAL
        visitor = f"\0{row.pk}" if is_alone else row.visitor_ref
        if visitor not in chosen or _goes_before(row, chosen[visitor]):
            chosen[visitor] = row
    return tuple(chosen.values())


def _goes_before(row: Delivery, other: Delivery) -> bool:
    """A sale that overtakes goes instead of the click that would come first."""
    is_sale = row.operation == Operation.SALE
    is_other_sale = other.operation == Operation.SALE
    return row.pk < other.pk if is_sale == is_other_sale else is_sale
