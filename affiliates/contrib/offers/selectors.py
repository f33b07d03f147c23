"""The offers that are open to an affiliate, and the code that a visitor is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from affiliates.contrib.offers.models import Offer, OfferCode
from affiliates.plans.selectors import plan_version_for
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOffer:
    """``text`` is in the site's language, ``translations`` by the codes of others.

    ``expires_at`` None: never.
    """

    code: str
    text: str
    translations: Mapping[str, str]
    expires_at: datetime | None


def code_to_show(
    affiliate_id: int, *, brand_id: int, now: datetime
) -> ShownOffer | None:
    """The affiliate's newest active code whose offer is open, in its own terms."""
    codes = active_codes(affiliate_id).filter(
        version__offer__is_active=True,
        coupon__brand=brand_id,
        coupon__affiliate__status=AffiliateStatus.ACTIVE,
    )
    for code in codes.order_by("-pk"):
        terms = code.version.to_terms()
        if terms.is_valid(now) and code.version.offer.is_open(now):
            return ShownOffer(
                code=code.coupon.code,
                text=terms.text,
                translations=terms.translations,
                expires_at=terms.valid_until,
            )
    return None


def active_codes(affiliate_id: int) -> QuerySet[OfferCode]:
    codes = OfferCode.objects.filter(
        coupon__affiliate=affiliate_id, coupon__is_active=True, ended_at=None
    )
    return codes.select_related("coupon", "version__offer")


def offers_of(affiliate: Affiliate, *, now: datetime) -> QuerySet[Offer]:
    """The offers of the affiliate's brand that are for its plan, open or not."""
    version = plan_version_for(affiliate, at=now)
    for_plan = Q(plan=None) | Q(plan=version and version.plan_id)
    return Offer.objects.filter(for_plan, brand=affiliate.brand_id).order_by("name")


def open_offers(
    affiliate: Affiliate, *, now: datetime
) -> tuple[list[Offer], list[OfferCode]]:
    """Open offers with the affiliate's active codes, and such codes of other offers."""
    codes = list(active_codes(affiliate.pk).order_by("pk"))
    offers = [row for row in offers_of(affiliate, now=now) if row.is_open(now)]
    for offer in offers:
        offer.own_codes = [row for row in codes if row.version.offer_id == offer.pk]
    ids = {offer.pk for offer in offers}
    return offers, [row for row in codes if row.version.offer_id not in ids]
