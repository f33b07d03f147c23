"""Who took part in an order's decision and was not credited, by rows of their own."""

from __future__ import annotations

from affiliates.referrals.models import OrderCandidate, OrderReferral


def record_candidates(referral: OrderReferral, *, before_id: int | None = None) -> None:
    """Those of its decision. ``before_id`` was credited until staff decided otherwise.

    One insert, and where nobody lost none.
    """
    named = {one["affiliate_id"] for one in referral.decision["candidates"]}
    if before_id is not None:
        named.add(before_id)
    lost = named - {referral.affiliate_id}
    OrderCandidate.objects.bulk_create(
        # In one order, in which two orders may wait for the affiliates' keys.
        [OrderCandidate(referral=referral, affiliate_id=pk) for pk in sorted(lost)],
        ignore_conflicts=True,
    )
