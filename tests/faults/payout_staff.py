"""Staff of finance at the web: what they do with payouts, until they are killed."""

from __future__ import annotations

import os
import time
from random import Random

from django.utils import timezone

from affiliates.errors import AffiliatesError
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending.decisions import look_up_now
from affiliates.payouts.sending_models import PayoutSending
from affiliates.payouts.services.batches import export_batch

MOST = 4


def pay_and_ask() -> None:
    """Pays a few of the approved payouts, then asks the provider about any batch."""
    chance = Random(os.getpid())  # noqa: S311 - choices, not secrets
    while True:
        approved = Payout.objects.filter(status=PayoutStatus.APPROVED)
        ids = list(approved.order_by("?").values_list("pk", flat=True)[:MOST])
        try:
            if ids:
                export_batch(payout_ids=ids, actor_id=None, now=timezone.now())
        except AffiliatesError:
            pass  # The worker has given back or taken one of them meanwhile.
        batch = PayoutSending.objects.order_by("?").values("pk")[:1]
        look_up_now(PayoutSending.objects.filter(pk__in=batch), now=timezone.now())
        time.sleep(chance.uniform(0, 0.5))
