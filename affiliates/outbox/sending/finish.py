"""Writes the result of a delivery: only by its owner, in one transaction."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from affiliates.core.addresses import ip_prefix
from affiliates.outbox.models.delivery import (
    MAX_REMOTE_REF,
    MAX_VISITOR_REF,
    Delivery,
    DeliveryAttempt,
    VisitorAlias,
)
from affiliates.outbox.models.integration import MAX_DETAIL, TrackingIntegration
from affiliates.outbox.rules import DeliveryState, Resolution, is_repeatable
from affiliates.outbox.selectors import is_partial, open_click_of, visitor_id_of
from affiliates.outbox.sending.exchange import Exchange
from affiliates.outbox.sending.health import (
    count_further_calls,
    end_lasting_failure,
    record_answer,
    switch_off,
)
from affiliates.outbox.sending.lease import lease
from affiliates.outbox.sending.plan import Unsent
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind

logger = logging.getLogger(__name__)

BATCH = 500
CARRIED = "Carried by its sale."
OVERTAKEN = "A later click of this visitor went with a sale."
FOUND = "Found at the provider after an unclear answer."
INTERRUPTED = "The sender ended before it could record what came of it."
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A delivery being sent: its owner's proof and the data sent with it."""

    delivery: Delivery
    operation: Operation
    fence: datetime
    started_at: datetime
    visitor_id: str
    carried: Delivery | None


def start(
    delivery: Delivery,
    operation: Operation,
    *,
    carries_click: bool = False,
    fence: datetime,
    now: datetime,
) -> Attempt | None:
    """Begins an attempt; None if another sender has taken the delivery over."""
    is_interrupted = delivery.state == DeliveryState.SENDING
    until = now + lease()
    is_mine = Delivery.objects.filter(pk=delivery.pk, next_at=fence).update(
        state=DeliveryState.SENDING,
        attempt_count=delivery.attempt_count + 1,
        next_at=until,
    )
    if not is_mine:
        return None
    if is_interrupted:
        record_interruption(delivery, now=now)
    delivery.state = DeliveryState.SENDING
    delivery.attempt_count += 1
    delivery.next_at = until
    is_conversion = operation in {Operation.SALE, Operation.LEAD}
    return Attempt(
        delivery=delivery,
        operation=operation,
        fence=until,
        started_at=now,
        carried=open_click_of(delivery) if is_conversion and carries_click else None,
        visitor_id=visitor_id_of(delivery),
    )


def record_interruption(delivery: Delivery, *, now: datetime) -> None:
    """Records an attempt whose sender died before it could record it."""
    operation = Operation(delivery.operation)
    is_harmless = is_repeatable(operation, is_partial=is_partial(delivery))
    kind = OutcomeKind.RETRY if is_harmless else OutcomeKind.AMBIGUOUS
    attempt = DeliveryAttempt(
        delivery=delivery,
        number=delivery.attempt_count,
        operation=operation,
        started_at=now,
        duration_ms=0,
        outcome=kind,
        detail=INTERRUPTED,
    )
    DeliveryAttempt.objects.bulk_create([attempt], ignore_conflicts=True)


@transaction.atomic
def finish(
    attempt: Attempt,
    exchange: Exchange,
    resolution: Resolution,
    *,
    integration: TrackingIntegration,
    now: datetime,
) -> bool | None:
    """Records an attempt. Returns whether the provider is paused from now on.

    None if another sender has taken the delivery over.
    """
    outcome, delivery = exchange.outcome, attempt.delivery
    is_found = attempt.operation is Operation.LOOKUP and not resolution.next_at
    detail = FOUND if is_found else outcome.detail[:MAX_DETAIL]
    if not _conclude(
        delivery, resolution, detail, outcome, fence=attempt.fence, now=now
    ):
        logger.warning("Delivery %s was taken over while being sent", delivery.pk)
        return None
    DeliveryAttempt.objects.create(
        delivery=delivery,
        number=delivery.attempt_count,
        operation=attempt.operation,
        started_at=attempt.started_at,
        duration_ms=max(0, (now - attempt.started_at) // _MILLISECOND),
        status_code=exchange.status_code,
        outcome=outcome.kind,
        detail=detail,
    )
    _learn_alias(attempt, outcome, now=now)
    if attempt.carried is not None and resolution.state.has_arrived:
        _close_carried(attempt.carried, now=now)
    if exchange.call_count > 1:
        count_further_calls(integration, exchange.call_count - 1, now=now)
    if exchange.call_count == 0:
        return False
    if outcome.kind is OutcomeKind.GONE:
        switch_off(integration.pk, detail=detail, now=now)
        return True
    is_paused = record_answer(integration.pk, outcome, now=now)
    return end_lasting_failure(integration, now=now) or is_paused


@transaction.atomic
def finish_unsent(
    delivery: Delivery, unsent: Unsent, *, fence: datetime, now: datetime
) -> bool:
    """Records a decision made without a call; False if another sender owns it."""
    if delivery.state == DeliveryState.SENDING:
        record_interruption(delivery, now=now)
    resolution = Resolution(unsent.state, unsent.next_at)
    outcome = None if unsent.outcome is None else CallOutcome(unsent.outcome)
    return _conclude(delivery, resolution, unsent.detail, outcome, fence=fence, now=now)


def _conclude(
    delivery: Delivery,
    resolution: Resolution,
    detail: str,
    outcome: CallOutcome | None,
    *,
    fence: datetime,
    now: datetime,
) -> bool:
    """Writes the delivery's new state; False if another sender owns it."""
    values: dict[str, Any] = {
        "state": resolution.state,
        "next_at": resolution.next_at,
        "detail": detail[:MAX_DETAIL],
    }
    if outcome is not None:
        values["outcome"] = outcome.kind
        if outcome.remote_ref:
            values["remote_ref"] = outcome.remote_ref[:MAX_REMOTE_REF]
    if not resolution.state.is_open:
        values["finished_at"] = now
        values["payload"] = without_address(delivery)
    is_mine = Delivery.objects.filter(pk=delivery.pk, next_at=fence).update(**values)
    for name, value in values.items():
        setattr(delivery, name, value)
    return bool(is_mine)


def without_address(delivery: Delivery) -> dict[str, Any]:
    """The payload to keep: a click's IP address is reduced to its network."""
    payload: dict[str, Any] = delivery.payload
    if delivery.operation != Operation.CLICK or "ip" not in payload:
        return payload
    return {**payload, "ip": ip_prefix(str(payload["ip"])).partition("/")[0]}


def _learn_alias(attempt: Attempt, outcome: CallOutcome, *, now: datetime) -> None:
    delivery = attempt.delivery
    known = outcome.visitor_id
    if not known or known == attempt.visitor_id or not delivery.visitor_ref:
        return
    if len(known) > MAX_VISITOR_REF:
        logger.warning("Delivery %s: the identifier given cannot be kept", delivery.pk)
        return
    VisitorAlias.objects.update_or_create(
        integration_id=delivery.integration_id,
        visitor_ref=delivery.visitor_ref,
        defaults={"remote_id": known},
        create_defaults={"remote_id": known, "created_at": now},
    )


def _close_carried(click: Delivery, *, now: datetime) -> None:
    """Closes a click sent with its sale; sending an earlier one now would undo it."""
    open_clicks = Delivery.objects.filter(
        integration=click.integration_id,
        visitor_ref=click.visitor_ref,
        operation=Operation.CLICK,
        next_at__isnull=False,
        id__lte=click.pk,
    )
    while batch := list(open_clicks[:BATCH]):
        for row in batch:
            Delivery.objects.filter(pk=row.pk).update(
                state=DeliveryState.DONE,
                next_at=None,
                detail=CARRIED if row.pk == click.pk else OVERTAKEN,
                finished_at=now,
                payload=without_address(row),
            )
