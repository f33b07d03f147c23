"""The bounds of what each receipt's tier may have counted, by the current rows.

Nothing is locked while a sale is counted for a tier, and what was counted may be
refunded later. So there are two bounds. At least: what still counts, and was recorded
long enough before. At most: everything that was recorded before.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.db.models import F, Min, Q, QuerySet

from affiliates.commissions.models import CommissionLine
from affiliates.commissions.selectors import COUNTS_NOT, earlier_sales, tier_sum
from affiliates.plans.rules.terms import MAX_SALES
from affiliates.verification.rules.deep import TierFacts
from affiliates.verification.selectors.ranges import json_text, within

# Longer than any transaction that records sales: an import may take minutes.
SURELY_SEEN_AFTER = timedelta(hours=1)


def tier_facts(commissions: QuerySet[Any], ids: range) -> Iterator[TierFacts]:
    of_brand = within(commissions, ids).values("pk")
    rows = (
        within(CommissionLine.objects.all(), ids, "commission_id")
        .filter(commission__in=of_brand, receipt__inputs__tier__isnull=False)
        .annotate(recorded_at=Min("commission__events__at"))
        .order_by("commission_id", "position")
        .values_list(
            "commission_id",
            "position",
            "recorded_at",
            "commission__affiliate_id",
            "commission__earned_at",
            "commission__sale_id",
            json_text("receipt"),
        )
    )
    for pk, position, recorded_at, *sale, receipt in rows:
        counted = orjson.loads(receipt)["inputs"]["tier"]
        since = datetime.fromisoformat(counted["since"])
        earlier = (
            earlier_sales(*sale, since=since)
            .filter(pk__lt=pk, events__before="")
            .annotate(recorded_at=F("events__at"))
        )
        surely = Q(recorded_at__lte=recorded_at - SURELY_SEEN_AFTER)
        counts = ~Q(status__in=COUNTS_NOT)
        fewest = tier_sum(counted["unit"], surely & counts)
        yield TierFacts(
            pk,
            position,
            counted["seen"],
            earlier[:MAX_SALES].aggregate(sum=fewest)["sum"],
            earlier.aggregate(sum=tier_sum(counted["unit"], Q()))["sum"],
        )
