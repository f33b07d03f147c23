"""When the pending commissions of an affiliate become payable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import groupby
from operator import itemgetter

from django.db.models import F, Max, Min, Sum
from django.db.models.functions import TruncDate

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.selectors import with_taken_back


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The pending commissions in one currency: minor units, less refunds.

    ``next_amount`` is of those whose hold ends on the day of ``next_at``.
    """

    amount: int = 0
    next_at: datetime | None = None
    next_amount: int = 0
    last_at: datetime | None = None


def holds_of(affiliate_id: int, *, zone: tzinfo) -> dict[str, Hold]:
    """By currency. Days are those of the time zone. One query."""
    pending = Commission.objects.filter(
        affiliate_id=affiliate_id, status=CommissionStatus.PENDING
    )
    days = (
        with_taken_back(pending)
        .order_by()
        .values_list("currency", TruncDate("matures_at", tzinfo=zone))
        .annotate(
            Min("matures_at"),
            Max("matures_at"),
            left=Sum(F("amount") + F("taken_back")),
        )
    )
    holds = {}
    for currency, rows in groupby(sorted(days), key=itemgetter(0)):
        _, _, starts, ends, amounts = zip(*rows, strict=True)
        holds[currency] = Hold(
            amount=int(sum(amounts)),
            next_at=starts[0],
            next_amount=int(amounts[0]),
            last_at=ends[-1],
        )
    return holds
