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
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.rules import is_repeatable
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
from affiliates.queue import services as queue
from affiliates.queue.rules import QueueState, TryResult

logger = logging.getLogger(__name__)

CARRIED = "Carried by its sale."
OVERTAKEN = "A later click of this visitor went with a sale."
INTERRUPTED = "The sender ended before it could record what came of it."
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A delivery being sent: the end of its lease and the data sent with it."""

    delivery: Delivery
    operation: Operation
    until: datetime
    started_at: datetime
    visitor_id: str
    carried: Delivery | None


def start(
    delivery: Delivery,
    operation: Operation,
    *,
    carries_click: bool = False,
    now: datetime,
) -> Attempt | None:
    """Begins an attempt; None if another sender has taken the delivery over."""
    was_sending, number = delivery.state == QueueState.SENDING, delivery.attempt_count
    until = now + lease()
    if not queue.begin(delivery, until=until):
        return None
    if was_sending:
        record_interruption(delivery, number, now=now)
    is_conversion = operation in {Operation.SALE, Operation.LEAD}
    return Attempt(
        delivery=delivery,
        operation=operation,
        until=until,
        started_at=now,
        carried=open_click_of(delivery) if is_conversion and carries_click else None,
        visitor_id=visitor_id_of(delivery),
    )


def record_interruption(delivery: Delivery, number: int, *, now: datetime) -> None:
    """Records an attempt whose sender died before it could record it."""
    operation = Operation(delivery.operation)
    is_harmless = is_repeatable(operation, is_partial=is_partial(delivery))
    kind = OutcomeKind.RETRY if is_harmless else OutcomeKind.AMBIGUOUS
    attempt = DeliveryAttempt(
        delivery=delivery,
        number=number,
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
    result: TryResult,
    *,
    integration: TrackingIntegration,
    now: datetime,
) -> bool | None:
    """Records an attempt. Returns whether the provider is paused from now on.

    None if another sender has taken the delivery over.
    """
    outcome, delivery = exchange.outcome, attempt.delivery
    if not _conclude(delivery, result, outcome, now=now):
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
        detail=delivery.detail,
    )
    _learn_alias(attempt, outcome, now=now)
    if attempt.carried is not None and result.state is QueueState.SENT:
        _close_carried(attempt.carried, now=now)
    if exchange.call_count > 1:
        count_further_calls(integration, exchange.call_count - 1, now=now)
    if exchange.call_count == 0:
        return False
    if outcome.kind is OutcomeKind.GONE:
        switch_off(integration.pk, detail=delivery.detail, now=now)
        return True
    is_paused = record_answer(integration.pk, outcome, now=now)
    return end_lasting_failure(integration, now=now) or is_paused


@transaction.atomic
def finish_unsent(delivery: Delivery, unsent: Unsent, *, now: datetime) -> bool:
    """Records a decision made without a call; False if another sender owns it."""
    if delivery.state == QueueState.SENDING:
        record_interruption(delivery, delivery.attempt_count, now=now)
    result = TryResult(unsent.state, unsent.detail, unsent.next_at)
    outcome = None if unsent.outcome is None else CallOutcome(unsent.outcome)
    return _conclude(delivery, result, outcome, now=now)


def _conclude(
    delivery: Delivery,
    result: TryResult,
    outcome: CallOutcome | None,
    *,
    now: datetime,
) -> bool:
    """Writes the delivery's new state; False if another sender owns it."""
    values: dict[str, Any] = {}
    if outcome is not None:
        values["outcome"] = outcome.kind
        if outcome.remote_ref:
            values["remote_ref"] = outcome.remote_ref[:MAX_REMOTE_REF]
    if not result.state.is_open:
        values["payload"] = without_address(delivery)
    return queue.finish(delivery, result, now=now, **values)


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
    while batch := list(open_clicks[: queue.BATCH]):
        for row in batch:
            Delivery.objects.filter(pk=row.pk).update(
                state=QueueState.SENT,
                next_at=None,
                detail=CARRIED if row.pk == click.pk else OVERTAKEN,
                finished_at=now,
                payload=without_address(row),
            )
