"""Finished deliveries that nothing needs any more are deleted."""

from __future__ import annotations

from datetime import datetime, timedelta

from affiliates.integrations.delivery.sending.finish import BATCH
from affiliates.integrations.models import Delivery
from affiliates.integrations.types import Operation

# A sale's delivery is the proof that it was sent once: a payment reported again must find
# it, and so must its reversals and the reconciliation. So are a lead's and a reversal's.
PURGED = (Operation.CLICK, Operation.EVENT)


def purge_deliveries(*, older_than: timedelta, now: datetime) -> int:
    """Delete clicks and events that were finished so long ago, with their attempts.

    How many deliveries that are. A batch is a transaction; ended half-way, the same again
    does the rest.
    """
    rows = Delivery.objects.filter(
        operation__in=list(PURGED),
        next_at__isnull=True,
        finished_at__lt=now - older_than,
    ).order_by("pk")
    keys = rows.values_list("pk", flat=True)
    count, last = 0, 0
    while batch := list(keys.filter(pk__gt=last)[:BATCH]):
        # Asked again: somebody may have sent one anew meanwhile.
        _, deleted = rows.filter(pk__in=batch).delete()
        count += deleted.get(Delivery._meta.label, 0)
        last = batch[-1]
    return count
