"""Rows of affiliates. Clients come from the host: see tests/hosts."""

from __future__ import annotations

from datetime import UTC, datetime

import factory
from factory.django import DjangoModelFactory

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.models.refused_origin import RefusedOrigin
from affiliates.core.ids import new_id
from affiliates.program.creative_models import Creative
from affiliates.program.history_models import (
    AffiliateDeparture,
    AffiliateNote,
    AffiliateTransfer,
)
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.visits.models import Click
from affiliates.visits.rules import TouchSource
from tests.guard.markers import marker, number_of


class BrandFactory(DjangoModelFactory):
    """A brand whose client area is ``https://<client_area>``.

    Its flagged sales have no hold of their own, since most orders of tests are flagged:
    they come within seconds of the click.
    """

    class Meta:
        model = Brand
        skip_postgeneration_save = True

    class Params:
        client_area = "shop.example.com"

    name = factory.Sequence(lambda number: f"Brand {number}")
    flagged_hold_days = 0
    default_redirect_url = factory.LazyAttribute(
        lambda brand: f"https://{brand.client_area}/"
    )

    @factory.post_generation
    def domains(self: Brand, create: bool, extracted: object, **_: object) -> None:
        host = self.default_redirect_url.split("/")[2]
        BrandDomainFactory(brand=self, host=host)


class BrandDomainFactory(DjangoModelFactory):
    class Meta:
        model = BrandDomain

    brand = factory.SubFactory(BrandFactory)
    host = factory.Sequence(lambda number: f"host{number}.example.com")


class RefusedOriginFactory(DjangoModelFactory):
    class Meta:
        model = RefusedOrigin


class AffiliateFactory(DjangoModelFactory):
    """An active affiliate. ``user`` must be given: only the host can make one."""

    class Meta:
        model = Affiliate

    code = factory.Sequence(lambda number: f"affiliate-{number}")
    status = AffiliateStatus.ACTIVE


class AffiliateLinkFactory(DjangoModelFactory):
    class Meta:
        model = AffiliateLink

    name = factory.LazyAttribute(
        lambda row: marker("affiliate", "link", number_of(row.affiliate.user))
    )


class AffiliateNoteFactory(DjangoModelFactory):
    """Of staff, for staff alone. ``affiliate`` must be given."""

    class Meta:
        model = AffiliateNote

    text = marker("staff", "note")
    written_at = datetime(2026, 3, 1, 12, tzinfo=UTC)


class AffiliateTransferFactory(DjangoModelFactory):
    """``source`` and ``target`` must be given."""

    class Meta:
        model = AffiliateTransfer

    key = factory.LazyFunction(new_id)
    reason = marker("staff", "transfer")
    given = factory.LazyFunction(dict)
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)


class AffiliateDepartureFactory(DjangoModelFactory):
    """Ended: staff took the affiliate back. ``affiliate`` must be given."""

    class Meta:
        model = AffiliateDeparture

    left_at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    ended_at = datetime(2026, 3, 2, 12, tzinfo=UTC)


class CreativeFactory(DjangoModelFactory):
    """A text of ``brand``."""

    class Meta:
        model = Creative

    name = factory.Sequence(lambda number: f"Creative {number}")
    text = "Hosting for everybody"


class ClickFactory(DjangoModelFactory):
    class Meta:
        model = Click

    brand = factory.SelfAttribute("affiliate.brand")
    created_at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    source = TouchSource.PATH
    affiliate_status = AffiliateStatus.ACTIVE
    own_program = True
    is_repeat = False
    visit_url = f"https://shop.example.com/?q={marker('visitor', 'page')}"
    referrer_url = f"https://blog.example.org/{marker('visitor', 'referrer')}"
    redirect_reason = "no_redirect"
    user_agent = marker("visitor", "agent")
