"""What was refused, given up or is waiting is sent again, because a person says so."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from affiliates.integrations.delivery.sending.provider import is_supported
from affiliates.integrations.models import Delivery, TrackingIntegration
from affiliates.integrations.rules import AmbiguousSales, DeliveryState
from affiliates.integrations.types import Operation, OutcomeKind

WAITING = (
    DeliveryState.QUEUED,
    DeliveryState.RETRY,
    DeliveryState.AMBIGUOUS,
)


# An event may be told twice: its receiver knows it by its identifier.
FINISHED = Q(state__in=[DeliveryState.FAILED, DeliveryState.DEAD]) | Q(
    state=DeliveryState.DONE, operation=Operation.EVENT
)


@transaction.atomic
def send_again(
    rows: QuerySet[Delivery], integration: TrackingIntegration, *, now: datetime
) -> int:
    """Bring these deliveries of the integration back on their way. How many they are."""
    # By its last outcome too: it may have been given up while nobody knew.
    unclear = ~Q(operation=Operation.REVERSAL) & (
        Q(state=DeliveryState.AMBIGUOUS) | Q(outcome=OutcomeKind.AMBIGUOUS)
    )
    finished = rows.filter(FINISHED)
    asked = 0
    if _looks_up(integration):
        asked += rows.filter(unclear, state=DeliveryState.AMBIGUOUS).update(next_at=now)
        asked += finished.filter(unclear).update(
            state=DeliveryState.AMBIGUOUS,
            next_at=now,
            created_at=now,
            finished_at=None,
        )
        rows = rows.exclude(state=DeliveryState.AMBIGUOUS, next_at=now)
    afresh = finished.update(
        state=DeliveryState.RETRY, next_at=now, created_at=now, finished_at=None
    )
    waiting = rows.filter(state__in=WAITING).exclude(next_at=now)
    again = waiting.update(state=DeliveryState.RETRY, next_at=now)
    return asked + afresh + again


def _looks_up(integration: TrackingIntegration) -> bool:
    if integration.ambiguous_sales != AmbiguousSales.LOOK_UP:
        return False
    return is_supported(integration, Operation.LOOKUP)
