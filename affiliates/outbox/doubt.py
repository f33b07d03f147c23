"""Puts deliveries in doubt that may have been sent before the database was restored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from affiliates.conf import conf
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.queue.rules import TRIED_NEXT, QueueState
from affiliates.outbox.rules import RESTORED
from affiliates.outbox.services import looks_up
from affiliates.outbox.types import Operation, OutcomeKind

# What no provider may be sent twice; a whole reversal is made once.
UNREPEATABLE = Q(operation__in=[Operation.SALE, Operation.LEAD]) | (
    Q(operation=Operation.REVERSAL) & ~Q(payload__amount=None)
)


@dataclass(frozen=True, slots=True)
class Doubted:
    looked_up: int
    held: int


@transaction.atomic
def doubt_deliveries(*, restored_at: datetime, now: datetime) -> Doubted:
    """Makes open deliveries unclear that were due before ``restored_at``.

    Where the provider can be asked they are looked up, else they wait for a person.
    The integrations remember the moment: facts that are reported again are doubted too.
    """
    # A row that a process has leased is due when the lease ends.
    until = restored_at + timedelta(seconds=conf.delivery_lease_seconds)
    rows = Delivery.objects.filter(
        UNREPEATABLE, state__in=TRIED_NEXT, created_at__lte=restored_at
    ).filter(Q(next_at__lte=until) | Q(state=QueueState.SENDING))
    looked_up = held = 0
    for integration in TrackingIntegration.objects.all():
        own = rows.filter(integration=integration)
        if looks_up(integration):
            asked = own.exclude(operation=Operation.REVERSAL)
            looked_up += _doubt(asked, next_at=now)
        held += _doubt(own, next_at=None)
    TrackingIntegration.objects.update(restored_at=restored_at)
    return Doubted(looked_up, held)


def _doubt(rows: QuerySet[Delivery], *, next_at: datetime | None) -> int:
    return rows.update(
        state=QueueState.UNCLEAR,
        outcome=OutcomeKind.AMBIGUOUS,
        detail=RESTORED,
        next_at=next_at,
    )
