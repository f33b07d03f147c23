"""Begins attempts at deliveries, with the data that is sent with each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.queue import services as queue
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.rules import is_repeatable
from affiliates.outbox.selectors import (
    is_partial,
    last_sent_at,
    open_click_of,
    sale_of,
    visitor_ids_of,
)
from affiliates.outbox.sending.lease import lease
from affiliates.outbox.types import Operation, OutcomeKind

INTERRUPTED = "The sender ended before it could record what came of it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A delivery being sent: the end of its lease and the data sent with it.

    ``remote_ref`` names the sale that a reversal takes back. ``sent_at`` is the moment at
    which it was last sent: of a look-up, the moment of an earlier attempt.
    """

    delivery: Delivery
    operation: Operation
    until: datetime
    started_at: datetime
    visitor_id: str
    carried: Delivery | None
    remote_ref: str
    sent_at: datetime


def start_all(
    chosen: Sequence[tuple[Delivery, Operation]], *, carries_click: bool, now: datetime
) -> list[Attempt]:
    """Begins attempts at an integration's deliveries; leaves out those taken over."""
    interrupted = {
        row.pk: row.attempt_count
        for row, _ in chosen
        if row.state == QueueState.SENDING
    }
    operations = {row.pk: operation for row, operation in chosen}
    until = now + lease()
    begun = queue.begin_all([row for row, _ in chosen], until=until)
    for row in begun:
        if row.pk in interrupted:
            record_interruption(row, interrupted[row.pk], now=now)
    ids = visitor_ids_of(begun)
    attempts = []
    for row in begun:
        operation = operations[row.pk]
        is_conversion = operation in {Operation.SALE, Operation.LEAD}
        is_lookup = operation is Operation.LOOKUP
        sale = sale_of(row) if operation is Operation.REVERSAL else None
        attempts.append(
            Attempt(
                delivery=row,
                operation=operation,
                until=until,
                started_at=now,
                carried=open_click_of(row) if is_conversion and carries_click else None,
                visitor_id=ids.get(row.visitor_ref, row.visitor_ref),
                remote_ref="" if sale is None else sale.remote_ref,
                sent_at=last_sent_at(row) if is_lookup else now,
            )
        )
    return attempts


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
