"""Nothing of the app is imported before it is used: a host may leave it out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from rest_framework.test import APIClient

from affiliates.adapter import get_adapter
from affiliates.contracts import CouponMade
from affiliates.errors import InvalidInput
from affiliates.program.models import Affiliate
from tests.factories.affiliates import AffiliateFactory, BrandFactory


@dataclass
class HostCoupons:
    """The host's part: remembers requests, and refuses the codes in ``taken``."""

    made: list[Any] = field(default_factory=list)
    ended: list[tuple[str, int]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def make(self, adapter, request, *, now):
        if request.code in self.taken:
            raise InvalidInput("code_taken", "The shop has this code.", field="code")
        self.made.append(request)
        return CouponMade(coupon_ref=f"coupon-{len(self.made)}")

    def end(self, adapter, coupon_ref, *, brand_id, now):
        self.ended.append((coupon_ref, brand_id))


@pytest.fixture(autouse=True)
def host_coupons(monkeypatch) -> HostCoupons:
    coupons = HostCoupons()
    adapter = type(get_adapter())
    monkeypatch.setattr(adapter, "make_coupon", lambda *a, **k: coupons.make(*a, **k))
    monkeypatch.setattr(adapter, "end_coupon", lambda *a, **k: coupons.end(*a, **k))
    return coupons


@pytest.fixture
def other_brand(brand) -> Any:
    return BrandFactory(client_area="other.example.net")


@pytest.fixture
def another(brand, host):
    """Another affiliate, of the brand unless it is said otherwise."""

    def another(of=brand, **fields):
        user = host.client(of, email=f"other-{Affiliate.objects.count()}@example.com")
        return AffiliateFactory(brand=of, user=user, **fields)

    return another


@pytest.fixture
def offer(brand) -> Any:
    from tests.factories.offers import OfferFactory

    return OfferFactory(brand=brand, name="Ten off")


@pytest.fixture
def make(offer, affiliate, now):
    """Make a code of the affiliate within the offer, unless it is said otherwise."""
    from affiliates.contrib.offers.services import make_code

    def make(code="", *, of=affiliate, within=offer, at=now):
        return make_code(offer_id=within.pk, affiliate_id=of.pk, code=code, now=at)

    return make


@pytest.fixture
def api_of():
    def api_of(affiliate):
        api = APIClient(headers={"origin": "https://shop.example.com"})
        api.force_authenticate(affiliate.user)
        return api

    return api_of
