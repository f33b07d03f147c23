"""Registers the pages, endpoints and records of offers, and the end of codes."""

from __future__ import annotations

from django.db.transaction import non_atomic_requests
from django.urls import path

from affiliates.api.registry import ROUTES
from affiliates.brands.roles import OPERATOR, Work, register
from affiliates.contrib.offers import services
from affiliates.contrib.offers.models import OfferVersion
from affiliates.contrib.offers.visitor_api import AffiliateLinkOfferViewSet
from affiliates.db.audit.recording import RECORDED_MODELS
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import EARNINGS
from affiliates.verification.guards import BOTH, GUARDS, Guard
from affiliates.verification.seals import SEALED

__all__ = ["services"]

ROUTES.append(
    path(
        "api/affiliate_link/offer",
        non_atomic_requests(AffiliateLinkOfferViewSet.as_view({"post": "create"})),
        name="affiliate_link_offer",
    )
)
RECORDED_MODELS["affiliates_offers.Offer"] = "brand"
GUARDS.append(Guard(OfferVersion, BOTH, "save the offer, which adds a version."))
SEALED[OfferVersion] = "offer__brand_id"
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
