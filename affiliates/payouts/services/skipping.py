"""Leaves out statement numbers that may have been given before a restore."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.payouts.models import OPEN_STATUSES, Payout, PayoutTerms
from affiliates.payouts.rules import Numbering
from affiliates.payouts.statement_models import StatementGap, StatementSeries


@transaction.atomic
def skip_statement_numbers(numbers: int, *, restored_at: datetime) -> int:
    """Leaves out the next ``numbers`` of each series. Returns the number of series.

    A series that was begun since is lost too: those that open payouts may have begun
    are made here.
    """
    if not numbers:
        return 0
    _begin_series()
    all_series = StatementSeries.objects.select_for_update(no_key=True).order_by("pk")
    gaps = []
    for series in all_series:
        first = series.last_number + 1
        series.last_number += numbers
        series.save(update_fields=["last_number"])
        gaps.append(
            StatementGap(
                series=series,
                first_number=first,
                last_number=series.last_number,
                restored_at=restored_at,
            )
        )
    StatementGap.objects.bulk_create(gaps)
    return len(gaps)


def _begin_series() -> None:
    per_affiliate = set(
        PayoutTerms.objects.filter(numbering=Numbering.AFFILIATE).values_list(
            "brand_id", flat=True
        )
    )
    under_way = Payout.objects.filter(status__in=OPEN_STATUSES)
    owners = {
        (brand_id, affiliate_id if brand_id in per_affiliate else None)
        for brand_id, affiliate_id in under_way.values_list(
            "brand_id", "affiliate_id"
        ).distinct()
    }
    for brand_id, affiliate_id in sorted(owners, key=str):
        owner: Any = {"brand_id": brand_id, "affiliate_id": affiliate_id}
        StatementSeries.objects.get_or_create(**owner)
