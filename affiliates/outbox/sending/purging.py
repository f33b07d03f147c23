"""Deletes deliveries that nothing needs any more."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from affiliates.conf import conf
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.services import finished_before, in_batches
from affiliates.outbox.services import WAITING
from affiliates.outbox.types import Operation
from affiliates.worker import purges

# A sale's delivery proves that it was sent once: a repeated payment, its reversals and
# the reconciliation must find it. The same is true of a lead's and a reversal's.
PURGED = (Operation.CLICK, Operation.EVENT)


@purges.register("deliveries deleted")
def purge_old(*, now: datetime) -> int:
    """Deletes nothing where the host keeps deliveries for ever."""
    days = conf.keep_deliveries_days
    return purge_deliveries(older_than=timedelta(days=days), now=now) if days else 0


def purge_deliveries(*, older_than: timedelta, now: datetime) -> int:
    """Deletes clicks and events finished longer ago than ``older_than``, with attempts.

    Returns the number of deliveries deleted. Each batch is a transaction; after an
    interruption, the next call continues.
    """
    sent = Delivery.objects.filter(operation__in=PURGED)
    count = 0
    for batch in in_batches(finished_before(sent, age=older_than, now=now)):
        _, deleted = batch.delete()
        count += deleted.get(Delivery._meta.label, 0)
    return count


def drop_unsent_clicks(clicks: Mapping[UUID, int | None]) -> None:
    """Deletes the notifications of these clicks that were not sent, or will be again.

    ``clicks`` are their integrations by id.
    """
    known = {pk: integration for pk, integration in clicks.items() if integration}
    Delivery.objects.filter(
        integration_id__in=set(known.values()),
        key__in=[f"click:{pk}" for pk in known],
        state__in=WAITING,
    ).delete()
