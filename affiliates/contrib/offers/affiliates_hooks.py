"""Registers the pages, endpoints and records of offers, and the end of codes."""

from __future__ import annotations

from django.db.transaction import non_atomic_requests
from django.urls import path
from django.utils.translation import gettext_lazy as _

from affiliates.api.registry import ROUTES
from affiliates.brands.roles import OPERATOR, Work, register
from affiliates.contrib.area.api.promotion.coupons import COUPON_PATH
from affiliates.contrib.area.sections import MORE_PAGES, PROMOTE
from affiliates.contrib.offers import services
from affiliates.contrib.offers.api import (
    AffiliateLinkOfferViewSet,
    OfferCouponViewSet,
    OfferViewSet,
)
from affiliates.contrib.offers.models import Offer, OfferVersion
from affiliates.contrib.offers.pages import EndCodePage, NewCodePage, OffersPage
from affiliates.db.audit.recording import RECORDED_MODELS
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import EARNINGS
from affiliates.verification.checks import CHECKS
from affiliates.verification.faults import DOCUMENTS_AT_ONCE, Check
from affiliates.verification.guards import BOTH, GUARDS, Guard
from affiliates.verification.program import versions_agree
from affiliates.verification.seals import SEALED

__all__ = ["services"]

COUPON_PATH |= {"views": OfferCouponViewSet, "post": "create"}
ROUTES += [
    path(
        "api/affiliate_link/offer",
        non_atomic_requests(AffiliateLinkOfferViewSet.as_view({"post": "create"})),
        name="affiliate_link_offer",
    ),
    path(
        "api/affiliate/coupons/<int:coupon_id>",
        OfferCouponViewSet.as_view({"delete": "destroy"}),
        name="affiliate_coupon",
    ),
    path(
        "api/affiliate/offers",
        OfferViewSet.as_view({"get": "list"}),
        name="affiliate_offers",
    ),
]
PROMOTE["offers"] = _("Offers")
MORE_PAGES += [
    path("offers", OffersPage.as_view(), name="offers"),
    path("offers/<int:offer_id>", NewCodePage.as_view(), name="offer"),
    path("codes/<int:coupon_id>/end", EndCodePage.as_view(), name="end_code"),
]
RECORDED_MODELS["affiliates_offers.Offer"] = "brand"
GUARDS.append(Guard(OfferVersion, BOTH, "save the offer, which adds a version."))
SEALED[OfferVersion] = "offer__brand_id"
CHECKS.append(
    Check(
        label="offers",
        model=Offer,
        rules=(
            versions_agree(
                OfferVersion, "offer", "Offer {0.pk} ({0})", lambda row: row.to_terms()
            ),
        ),
        at_once=DOCUMENTS_AT_ONCE,
    )
)
register(
    "affiliates_offers",
    {OPERATOR: Work(configures=("offer",), does=("change_offercode",))},
)

declare(
    "affiliates_offers.Offer",
    other="name text translations grants grants_translations host_terms prefix",
)
declare("affiliates_offers.OfferVersion", other="terms digest")
declare(
    "affiliates_offers.OfferCode",
    {EARNINGS: "coupon_ref"},
    of={Person.AFFILIATE: {"coupon__affiliate": Key.AFFILIATE}},
)
