"""Writes the result of a delivery: only by its owner, in one transaction."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import Error, transaction

from affiliates.core.addresses import ip_prefix
from affiliates.outbox.models.delivery import (
    MAX_REMOTE_REF,
    MAX_VISITOR_REF,
    Delivery,
    DeliveryAttempt,
    VisitorAlias,
)
from affiliates.outbox.queue import services as queue
from affiliates.outbox.queue.rules import QueueState, TryResult
from affiliates.outbox.sending.begin import Attempt, record_interruption
from affiliates.outbox.sending.exchange import Exchange
from affiliates.outbox.sending.health import (
    count_further_calls,
    end_lasting_failure,
    record_answers,
    switch_off,
)
from affiliates.outbox.sending.plan import Unsent
from affiliates.outbox.sending.provider import Provider
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind

logger = logging.getLogger(__name__)

CARRIED = "Carried by its sale."
OVERTAKEN = "A later click of this visitor went with a sale."
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An attempt that ended at ``at``, and its result."""

    attempt: Attempt
    provider: Provider
    exchange: Exchange
    result: TryResult
    at: datetime

    @property
    def is_to_be_sent(self) -> bool:
        """Whether it was looked up and not found, so that it may be sent at once."""
        is_missing = self.exchange.outcome.kind is OutcomeKind.NOT_FOUND
        is_due = self.result.state is QueueState.RETRY
        return self.attempt.operation is Operation.LOOKUP and is_missing and is_due


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The recorded attempts, and whether the provider is paused from now on.
    Attempts that another sender has taken over are not recorded."""

    recorded: Sequence[Answered]
    is_paused: bool


def finish(answered: Sequence[Answered], *, now: datetime) -> Finished:
    """Records attempts of one integration: together, or else each by itself.

    Each by itself, if one was taken over or cannot be stored, and if it carried a click,
    whose row another sender may be writing.
    """
    alone = [answer for answer in answered if answer.attempt.carried is not None]
    together = [answer for answer in answered if answer.attempt.carried is None]
    finished: list[Finished] = []
    if len(together) > 1:
        try:
            finished.append(_record(together, now=now))
            together = []
        except (Error, queue.LeaseLost):
            logger.info("Attempts are recorded one by one")
    for answer in [*together, *alone]:
        try:
            finished.append(_record([answer], now=now))
        except queue.LeaseLost:
            delivery_id = answer.attempt.delivery.pk
            logger.warning("Delivery %s was taken over while being sent", delivery_id)
    return Finished(
        recorded=[record for part in finished for record in part.recorded],
        is_paused=any(part.is_paused for part in finished),
    )


@transaction.atomic
def _record(answered: Sequence[Answered], *, now: datetime) -> Finished:
    queue.finish_all(
        [
            (
                answer.attempt.delivery,
                answer.result,
                _values(
                    answer.attempt.delivery, answer.result, answer.exchange.outcome
                ),
            )
            for answer in answered
        ],
        now=now,
    )
    DeliveryAttempt.objects.bulk_create(
        DeliveryAttempt(
            delivery=answer.attempt.delivery,
            number=answer.attempt.delivery.attempt_count,
            operation=answer.attempt.operation,
            started_at=answer.attempt.started_at,
            duration_ms=max(0, (answer.at - answer.attempt.started_at) // _MILLISECOND),
            status_code=answer.exchange.status_code,
            outcome=answer.exchange.outcome.kind,
            detail=answer.attempt.delivery.detail,
        )
        for answer in answered
    )
    for answer in answered:
        _learn_alias(answer.attempt, answer.exchange.outcome, now=now)
        if (
            answer.attempt.carried is not None
            and answer.result.state is QueueState.SENT
        ):
            _close_carried(answer.attempt.carried, now=now)
    is_paused = _record_calls(answered, now=now)
    return Finished(recorded=answered, is_paused=is_paused)


def _record_calls(answered: Sequence[Answered], *, now: datetime) -> bool:
    """Counts the calls. Returns whether the provider is paused from now on."""
    integration = answered[-1].provider.integration
    called = [answer for answer in answered if answer.exchange.call_count]
    if further := sum(answer.exchange.call_count - 1 for answer in called):
        count_further_calls(integration, further, now=now)
    if not called:
        return False
    for answer in called:
        if answer.exchange.outcome.kind is OutcomeKind.GONE:
            detail = answer.attempt.delivery.detail
            switch_off(integration.pk, detail=detail, now=now)
            return True
    answers = [
        (answer.exchange.outcome, answer.attempt.started_at) for answer in called
    ]
    is_paused = record_answers(integration.pk, answers, now=now)
    return end_lasting_failure(integration, now=now) or is_paused


@transaction.atomic
def finish_unsent(delivery: Delivery, unsent: Unsent, *, now: datetime) -> bool:
    """Records a decision made without a call; False if another sender owns it."""
    if delivery.state == QueueState.SENDING:
        record_interruption(delivery, delivery.attempt_count, now=now)
    result = TryResult(unsent.state, unsent.detail, unsent.next_at)
    outcome = None if unsent.outcome is None else CallOutcome(unsent.outcome)
    values = _values(delivery, result, outcome)
    return queue.finish(delivery, result, now=now, **values)


def _values(
    delivery: Delivery, result: TryResult, outcome: CallOutcome | None
) -> dict[str, Any]:
    """The columns that a result changes beside those of every queued row."""
    kind = delivery.outcome if outcome is None else outcome.kind
    remote_ref = "" if outcome is None else outcome.remote_ref[:MAX_REMOTE_REF]
    is_open = result.state.is_open
    return {
        "outcome": kind,
        "remote_ref": remote_ref or delivery.remote_ref,
        "payload": delivery.payload if is_open else without_address(delivery),
    }


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
