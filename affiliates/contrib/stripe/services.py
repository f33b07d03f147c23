"""Receives Stripe's events: each is stored, and applied as soon as it can be."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import QuerySet

from affiliates.brands.selectors import reported_brand
from affiliates.conf import conf
from affiliates.contrib.stripe.applying import (
    CLIENT,
    HANDLERS,
    Delivery,
    Ignored,
    Waits,
)
from affiliates.contrib.stripe.models import (
    MAX_REASON,
    StripeEvent,
    StripeEventState,
)
from affiliates.contrib.stripe.reading import Parsed, kept, moment, reads
from affiliates.contrib.stripe.rules import StripeCustomer, customer_of
from affiliates.db.records import insert_once
from affiliates.errors import AffiliatesError
from affiliates.referrals.models import MAX_REFERENCE
from affiliates.settlement.locks import lock_references
from affiliates.worker import purges
from affiliates.worker.registry import register as register_job
from affiliates.worker.types import Clock, ShouldStop

logger = logging.getLogger(__name__)

OPEN = (StripeEventState.WAITING, StripeEventState.REFUSED)
# Stripe sends an event for three days.
OVERDUE_AFTER = timedelta(days=4)


@transaction.atomic
def receive_event(*, brand_id: int, event: Parsed, now: datetime) -> StripeEvent | None:
    """Stores the event and applies it, and those that waited for it.

    A repeat of an applied event changes nothing; a waiting or refused one is tried again.
    Returns None for a type that is not read. Raises Unreadable for what is no event, and
    NotFound for a brand that is not there.
    """
    reported_brand(brand_id)
    row = _row_of(brand_id, event, now=now)
    if row.type not in HANDLERS:
        return None
    _lock(brand_id)
    if not insert_once(row):
        payload = row.payload
        row = StripeEvent.objects.get(brand_id=brand_id, event_id=row.event_id)
        if row.state == StripeEventState.APPLIED:
            return row
        row.payload = payload
    if reason := _other_account(event):
        return row.change(
            state=StripeEventState.IGNORED, waits_for="", reason=reason, payload={}
        )
    _apply(row, customer_of(brand_id, event["data"]["object"]), now=now)
    return row


def apply_again(*, event_ids: list[int], now: datetime) -> int:
    """Tries stored events again, one a transaction; returns how many are applied now."""
    rows = StripeEvent.objects.filter(pk__in=event_ids)
    open_rows = rows.filter(state__in=OPEN).order_by("created_at", "pk")
    for pk, brand_id in list(open_rows.values_list("pk", "brand_id")):
        with transaction.atomic():
            _lock(brand_id)
            if row := open_rows.filter(pk=pk).first():
                _apply(row, now=now, is_overdue=True)
    return rows.filter(state=StripeEventState.APPLIED).count()


@register_job(
    "stripe",
    every=timedelta(hours=1),
    does="Applies the events of Stripe that waited four days for another.",
)
def apply_overdue(now: Clock, should_stop: ShouldStop) -> str:
    since = now() - OVERDUE_AFTER
    waiting = StripeEvent.objects.filter(
        state=StripeEventState.WAITING, type="invoice.paid", received_at__lt=since
    )
    count = apply_again(event_ids=list(waiting.values_list("pk", flat=True)), now=now())
    return f"{count:,} events of Stripe applied." if count else ""


@purges.register("events of Stripe deleted")
def delete_old(*, now: datetime) -> int:
    """Deletes events of every state after the days of deliveries."""
    if not (days := conf.keep_deliveries_days):
        return 0
    # Not before the job has applied what waits.
    age = max(timedelta(days=days), OVERDUE_AFTER + timedelta(days=1))
    old = StripeEvent.objects.filter(received_at__lt=now - age)
    return old.delete()[0]


@reads
def _row_of(brand_id: int, event: Parsed, *, now: datetime) -> StripeEvent:
    if len(event["id"]) > MAX_REFERENCE:
        raise ValueError("The id is too long.")
    return StripeEvent(
        brand_id=brand_id,
        event_id=event["id"],
        type=event["type"],
        created_at=moment(event["created"]),
        received_at=now,
        state=StripeEventState.REFUSED,
        payload=kept(event["data"]["object"]),
    )


def _other_account(event: Parsed) -> str:
    if event.get("account"):
        return "Of a connected account."
    if bool(event.get("livemode")) != conf.stripe_livemode:
        return f"AFFILIATES_STRIPE_LIVEMODE is {conf.stripe_livemode}: other mode."
    return ""


def _lock(brand_id: int) -> None:
    """A brand's events run in turn: of two at once, each would miss the other."""
    lock_references(brand_id, stripe="events")


def _apply(
    row: StripeEvent,
    customer: StripeCustomer | None = None,
    *,
    now: datetime,
    is_overdue: bool = False,
) -> None:
    known = _attempt(row, customer, now=now, is_overdue=is_overdue)
    for pk in list(_waiting(row.brand_id, known).values_list("pk", flat=True)):
        # One that was applied for another since then no longer waits.
        if other := _waiting(row.brand_id, known).filter(pk=pk).first():
            _apply(other, now=now)


def _waiting(brand_id: int, known: tuple[str, ...]) -> QuerySet[StripeEvent]:
    return StripeEvent.objects.filter(
        brand_id=brand_id,
        state=StripeEventState.WAITING,
        waits_for__in=[ref for ref in known if ref],
    ).order_by("created_at", "pk")


def _attempt(
    row: StripeEvent,
    customer: StripeCustomer | None,
    *,
    now: datetime,
    is_overdue: bool,
) -> tuple[str, ...]:
    """Applies the event or stores why not; returns the ids that it tells of."""
    state, waits_for, reason = StripeEventState.APPLIED, "", ""
    known: tuple[str, ...] = ()
    try:
        with transaction.atomic():
            delivery = Delivery(
                brand_id=row.brand_id,
                type=row.type,
                object=row.payload,
                customer=customer or customer_of(row.brand_id, row.payload),
                at=row.created_at,
                now=now,
                is_overdue=is_overdue,
            )
            known = HANDLERS[row.type](delivery)
    except Waits as missing:
        state, waits_for = StripeEventState.WAITING, missing.ref
        if missing.client_id:
            row.payload = {**row.payload, CLIENT: missing.client_id}
    except Ignored as refusal:
        state, reason = StripeEventState.IGNORED, str(refusal)
    except AffiliatesError as refusal:
        state, reason = StripeEventState.REFUSED, refusal.detail[:MAX_REASON]
    except (OperationalError, InterfaceError):
        raise  # Such as a deadlock: Stripe sends the event again.
    except Exception as fault:
        logger.exception("An event of Stripe failed.", extra={"event": row.event_id})
        state, reason = StripeEventState.REFUSED, f"{type(fault).__name__}, see logs."
    payload = row.payload if state in OPEN else {}
    row.change(state=state, waits_for=waits_for, reason=reason, payload=payload)
    return known
