"""Offers with their version, and codes within them, as services leave them behind."""

from __future__ import annotations

from datetime import datetime

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.offers.models import Offer, OfferCode
from affiliates.contrib.offers.services import publish_offer
from tests.factories.plans import PUBLISHED_AT, CouponCodeFactory


class OfferFactory(DjangoModelFactory):
    """A published offer of ``brand`` for every affiliate: 10 % off."""

    class Meta:
        model = Offer
        skip_postgeneration_save = True

    name = factory.Sequence(lambda number: f"Offer {number}")
    text = "10 % off your first invoice"
    host_terms = factory.LazyFunction(lambda: {"percent_off": "10"})

    @factory.post_generation
    def published(
        self: Offer, create: bool, extracted: datetime | None, **_: object
    ) -> None:
        publish_offer(self, now=extracted or PUBLISHED_AT)


class OfferCodeFactory(DjangoModelFactory):
    """A code of ``affiliate`` within ``offer``, in its latest terms."""

    class Meta:
        model = OfferCode

    class Params:
        affiliate = None
        offer = None
        code = factory.Sequence(lambda number: f"FRIEND{number}")

    coupon = factory.LazyAttribute(
        lambda row: CouponCodeFactory(affiliate=row.affiliate, code=row.code)
    )
    version = factory.LazyAttribute(lambda row: row.offer.versions.latest("number"))
    made_at = PUBLISHED_AT
