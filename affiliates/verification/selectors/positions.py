"""The positions of sales, and what they may be by the sales of today."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from affiliates.sales.models import Sale
from affiliates.verification.rules.positions import PositionFacts
from affiliates.verification.selectors.ranges import within


def position_facts(sales: QuerySet[Any], ids: range) -> Iterator[PositionFacts]:
    of_nothing = (
        Sale._base_manager.filter(
            order_referral=OuterRef("order_referral"),
            renewal_number__lt=OuterRef("renewal_number"),
            net__lte=0,
        )
        .order_by()
        .values("order_referral")
        .annotate(count=Count("pk"))
        .values("count")
    )
    rows = within(sales, ids).values_list(
        "pk",
        "renewal_number",
        Coalesce("position", F("renewal_number")),
        "payment__position",
        Coalesce(Subquery(of_nothing), 0),
    )
    yield from map(PositionFacts._make, rows)
