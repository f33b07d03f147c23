"""Leases deliveries to a sender, as the order, the rate and the breaker allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from affiliates.conf import conf
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration
from affiliates.outbox.pacing import MAX_PAUSE, lease_size
from affiliates.outbox.queue import services as queue
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.rules import CLICK_PATIENCE, SALE_PATIENCE
from affiliates.outbox.types import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedWork:
    """Deliveries leased until the same moment."""

    integration: TrackingIntegration
    deliveries: Sequence[Delivery]
    until: datetime
    is_trial: bool


def due_integrations(now: datetime) -> list[tuple[int, int | None]]:
    """Active integrations with something to send, except those that are paused.

    Each with the id of the affiliate that owns the webhook; the brands' own come first.
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


def due_deliveries(
    integration_id: int | OuterRef, *, now: datetime
) -> QuerySet[Delivery]:
    """Deliveries that may be sent now: only the earliest of every visitor.

    A sale waits ten minutes for its visitor's clicks and leads, and a day for an
    earlier unsent sale, but always for one that is under way. A reversal waits for its own sale (``plan``) and for the sale's
    earlier reversals, since a provider may be sent the remaining amount instead of the
    reversed one. Nothing else waits for a reversal. Ordered by ``next_at`` alone, to
    match the index: many rows may share the moment.
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
    ).exclude(state=QueueState.UNCLEAR)
    under_way = earlier.filter(state=QueueState.SENDING)
    impatient = Q(
        ~Exists(unsent_sale),
        ~Exists(under_way),
        operation=Operation.SALE,
        created_at__lte=now - CLICK_PATIENCE,
    )
    return Delivery.objects.filter(
        # In this order: a click needs no query for an order's reversals.
        Q(operation=reversal) & ~Exists(earlier_of_order)
        | ~Q(operation=reversal) & (Q(visitor_ref="") | ~Exists(earlier) | impatient),
        integration=integration_id,
        next_at__lte=now,
    ).order_by("next_at")


def waits_for(delivery: Delivery, *, now: datetime) -> Delivery | None:
    """The earlier delivery that has to be sent first, if there is one."""
    if delivery.next_at is None:
        return None
    at = max(now, delivery.next_at)
    if due_deliveries(delivery.integration_id, now=at).filter(pk=delivery.pk).exists():
        return None
    same = (
        {"order_ref": delivery.order_ref, "operation": Operation.REVERSAL}
        if delivery.operation == Operation.REVERSAL
        else {"visitor_ref": delivery.visitor_ref}
    )
    earlier = Delivery.objects.filter(
        **same,
        integration=delivery.integration_id,
        next_at__isnull=False,
        pk__lt=delivery.pk,
    )
    if delivery.operation != Operation.REVERSAL:
        earlier = earlier.exclude(operation=Operation.REVERSAL)
    return earlier.order_by("pk").first()


@transaction.atomic
def take(integration_id: int, *, now: datetime) -> LeasedWork | datetime | None:
    """Leases due deliveries, as many as the breaker and the rate allow.

    None if there is nothing to do or the provider is paused. If the rate is used up,
    returns the moment at which requests are left again.
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
    due, until = due_deliveries(integration_id, now=now), now + lease()
    deliveries = queue.take(due, limit=limit, until=until, choose=_one_per_visitor)
    if not deliveries:
        return None
    health.next_slot_at = now + len(deliveries) * _pace(integration)
    if is_trial:
        # No other sender tries meanwhile; another trial follows a dead one.
        health.paused_until = until
    health.save(update_fields=["next_slot_at", "paused_until"])
    return LeasedWork(
        integration=integration, deliveries=deliveries, until=until, is_trial=is_trial
    )


def _pace(integration: TrackingIntegration) -> timedelta:
    """The time that one delivery takes at the allowed rate."""
    if integration.affiliate_id is None:
        return timedelta(seconds=1) / integration.requests_per_second
    return timedelta(hours=1) / conf.own_webhook_calls_per_hour


def end_trial(integration_id: int, *, until: datetime, now: datetime) -> None:
    """Ends a trial that made no call: the next delivery is the trial."""
    IntegrationHealth.of_all.filter(pk=integration_id, paused_until=until).update(
        paused_until=now
    )


def lock_health(integration_id: int) -> IntegrationHealth:
    """Creates the integration's health if absent; locks it for the transaction."""
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
    """The longest valid wait; a wrong clock wrote a later one, which is ignored."""
    return lease() + MAX_PAUSE


def _one_per_visitor(rows: Iterable[Delivery]) -> Sequence[Delivery]:
    chosen: dict[str, Delivery] = {}
    for row in rows:
        is_alone = not row.visitor_ref or row.operation == Operation.REVERSAL
        visitor = f"\0{row.pk}" if is_alone else row.visitor_ref
        if visitor not in chosen or _goes_before(row, chosen[visitor]):
            chosen[visitor] = row
    return tuple(chosen.values())


def _goes_before(row: Delivery, other: Delivery) -> bool:
    """Whether an overtaking sale is sent before the click that would come first."""
    is_sale = row.operation == Operation.SALE
    is_other_sale = other.operation == Operation.SALE
    return row.pk < other.pk if is_sale == is_other_sale else is_sale
