"""The balances that affiliates gave up or forfeited by leaving, and what was taken."""

from __future__ import annotations

from django.db.models import Sum

from affiliates.commissions.models import Adjustment
from affiliates.ledger.rules import PostingKind
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.selectors import open_departure

# The keys of the adjustments of one departure begin with it.
KEY = "left:{}:"


def taken_by(departure: AffiliateDeparture, currency: str) -> int:
    """Returns the sum deducted for the departure and not given back, in minor units."""
    sums = dict(
        Adjustment.objects.filter(
            affiliate_id=departure.affiliate_id,
            currency=currency,
            key__startswith=KEY.format(departure.pk),
        )
        .order_by()
        .values_list("kind")
        .annotate(Sum("amount"))
    )
    return int(
        sums.get(PostingKind.DEDUCTION, 0)  # PostgreSQL answers with decimals
        - sums.get(PostingKind.BONUS, 0)
    )


def left_to_forfeit(affiliate_id: int) -> dict[str, int]:
    """By currency what may still be taken of an affiliate that has left, if anything."""
    departure = open_departure(affiliate_id)
    if departure is None:
        return {}
    return {
        currency: amount - taken_by(departure, currency)
        for currency, amount in departure.forfeited.items()
    }
