"""Codes that clients type or name, without a coupon of the host."""

from __future__ import annotations

from affiliates.core.checking import storable
from affiliates.plans.selectors import find_coupon
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus


def find_typed_code(text: str, *, brand_id: int) -> tuple[str, int] | None:
    """The code and its active affiliate's id: a coupon's, else an affiliate's own."""
    if not text.strip() or storable(text) != text:
        return None
    coupon = find_coupon(brand_id=brand_id, codes=[text])
    if coupon is not None:
        return coupon.code, coupon.affiliate_id
    affiliate = (
        Affiliate.objects.filter(brand_id=brand_id, code=text.strip().lower())
        .select_related("merged_into")
        .first()
    )
    if affiliate is None or affiliate.credited_as.status != AffiliateStatus.ACTIVE:
        return None
    return affiliate.code, affiliate.credited_as.pk
