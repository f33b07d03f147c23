"""Deletes finished deliveries that nothing needs any more."""

from __future__ import annotations

from datetime import datetime, timedelta

from affiliates.conf import conf
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.sending.finish import BATCH
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
    rows = Delivery.objects.filter(
        operation__in=list(PURGED),
        next_at__isnull=True,
        finished_at__lt=now - older_than,
    ).order_by("pk")
    keys = rows.values_list("pk", flat=True)
    count, last = 0, 0
    while batch := list(keys.filter(pk__gt=last)[:BATCH]):
        # Filtered again: one may have been queued again meanwhile.
        _, deleted = rows.filter(pk__in=batch).delete()
        count += deleted.get(Delivery._meta.label, 0)
        last = batch[-1]
    return count
