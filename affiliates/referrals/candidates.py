"""Affiliates who took part in an order's decision without credit, one row each."""

from __future__ import annotations

from affiliates.referrals.models import OrderCandidate, OrderReferral


def record_candidates(referral: OrderReferral, *, before_id: int | None = None) -> None:
    """Records them. ``before_id`` had the credit until staff decided otherwise.

    One insert, or none if nobody lost.
    """
    named = {candidate["affiliate_id"] for candidate in referral.decision["candidates"]}
    if before_id is not None:
        named.add(before_id)
    lost = named - {referral.affiliate_id}
    OrderCandidate.objects.bulk_create(
        # Sorted, so that two orders lock the affiliates' keys in the same order.
        [OrderCandidate(referral=referral, affiliate_id=pk) for pk in sorted(lost)],
        ignore_conflicts=True,
    )
