"""Gives up the waiting deliveries of integrations that were turned off."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.queue.services import BATCH, unlocked
from affiliates.outbox.rules import SWITCHED_OFF
from affiliates.outbox.sending.finish import without_address
from affiliates.outbox.sending.plan import UNCERTAIN, is_in_doubt
from affiliates.outbox.types import OutcomeKind


def close_switched_off(*, now: datetime) -> int:
    """Gives up the waiting deliveries of inactive integrations; returns the number."""
    waiting = Delivery.objects.filter(integration=OuterRef("pk"), next_at__isnull=False)
    integrations = TrackingIntegration.objects.filter(
        Exists(waiting), is_active=False
    ).values_list("pk", flat=True)
    count = 0
    for integration_id in list(integrations):
        while closed := _close_batch(integration_id, now=now):
            count += closed
    return count


@transaction.atomic
def _close_batch(integration_id: int, *, now: datetime) -> int:
    # A current sender may finish; what it leaves open is closed next time.
    sending = Q(state=QueueState.SENDING, next_at__gt=now)
    waiting = Delivery.objects.filter(
        integration=integration_id, next_at__isnull=False
    ).exclude(sending)
    rows = list(unlocked(waiting)[:BATCH])
    for row in rows:
        row.detail = SWITCHED_OFF
        if is_in_doubt(row):
            row.detail = f"{SWITCHED_OFF} {UNCERTAIN}"
            row.outcome = OutcomeKind.AMBIGUOUS
        row.state = QueueState.GIVEN_UP
        row.next_at = None
        row.finished_at = now
        row.payload = without_address(row)
    Delivery.objects.bulk_update(
        rows, ["detail", "outcome", "state", "next_at", "finished_at", "payload"]
    )
    return len(rows)
