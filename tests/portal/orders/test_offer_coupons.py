"""The shop's coupons that affiliates' codes give, by the terms of an offer."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.adapter import get_adapter
from affiliates.contracts import CouponRequest
from affiliates.contrib.offers.models import OfferCode
from affiliates.contrib.offers.services import end_code, make_code
from affiliates.errors import InvalidInput
from affiliates.plans.models.coupon import CouponCode
from portal.orders.catalogue import Coupon
from tests.database import nothing_written
from tests.factories.offers import OfferFactory
from tests.factories.portal import NOW, CouponFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_of(brand):
    def request_of(**changes):
        request = CouponRequest(
            brand_id=brand.pk,
            code="FRIENDS",
            affiliate_code="partner",
            host_terms={"percent_off": "12.5"},
            for_new_clients=True,
            valid_until=NOW + timedelta(days=30),
        )
        return replace(request, **changes)

    return request_of


def refused_of(request):
    with nothing_written(), pytest.raises(InvalidInput) as refused:
        get_adapter().make_coupon(request, now=NOW)
    return refused.value.code, refused.value.field


def test_a_coupon_is_made_by_the_offers_terms(brand, request_of):
    made = get_adapter().make_coupon(request_of(), now=NOW)

    coupon = Coupon.objects.get()
    assert made.coupon_ref == str(coupon.pk)
    assert (coupon.brand, coupon.code, coupon.is_active) == (brand, "FRIENDS", True)
    assert coupon.percent_off == Decimal("12.50")
    assert coupon.valid_until == NOW + timedelta(days=30)
    assert coupon.for_new_clients is True


@pytest.mark.parametrize(
    ("_case", "terms"),
    [
        ("none", {}),
        ("others", {"amount_off": "10"}),
        ("more", {"percent_off": "10", "months": 3}),
        ("zero", {"percent_off": "0"}),
        ("beyond all", {"percent_off": "100.01"}),
        ("three decimals", {"percent_off": "1.001"}),
        ("words", {"percent_off": "ten"}),
        ("not a number", {"percent_off": "NaN"}),
        ("true", {"percent_off": True}),
        ("null", {"percent_off": None}),
        ("a list", {"percent_off": ["10"]}),
    ],
)
def test_other_terms_are_refused(_case, terms, request_of):
    assert refused_of(request_of(host_terms=terms)) == ("unknown_terms", None)


@pytest.mark.parametrize("percent", ["10", 10, "10.0", 10.0])
def test_numbers_are_read_as_well(percent, request_of):
    get_adapter().make_coupon(request_of(host_terms={"percent_off": percent}), now=NOW)

    assert Coupon.objects.get().percent_off == Decimal("10.00")


@pytest.mark.parametrize("code", ["A.B", "-A", "Ä", "A/B"])
def test_codes_that_no_coupon_of_the_shop_has(code, request_of):
    assert refused_of(request_of(code=code)) == ("invalid_code", "code")


@pytest.mark.parametrize("is_active", [True, False])
def test_a_code_of_the_shop_is_taken_whatever_its_case(is_active, brand, request_of):
    CouponFactory(brand=brand, code="Friends", is_active=is_active)

    assert refused_of(request_of()) == ("code_taken", "code")


def test_a_code_of_another_brand_is_free(other_brand, request_of):
    CouponFactory(brand=other_brand, code="FRIENDS")

    assert get_adapter().make_coupon(request_of(), now=NOW).coupon_ref


def test_a_coupon_is_ended_for_its_brand_alone(brand, other_brand, request_of):
    made = get_adapter().make_coupon(request_of(), now=NOW)

    get_adapter().end_coupon(made.coupon_ref, brand_id=other_brand.pk, now=NOW)
    assert Coupon.objects.get().is_active is True
    for _ in range(2):
        get_adapter().end_coupon(made.coupon_ref, brand_id=brand.pk, now=NOW)
    assert Coupon.objects.get().is_active is False


def test_a_refusal_of_the_shop_leaves_no_code(brand, affiliate):
    offer = OfferFactory(brand=brand, host_terms={"percent_off": "0"})

    with nothing_written(), pytest.raises(InvalidInput):
        make_code(offer_id=offer.pk, affiliate_id=affiliate.pk, now=NOW)

    assert not CouponCode.objects.exists()


def test_code_and_coupon_are_made_and_ended_together(brand, affiliate):
    offer = OfferFactory(brand=brand)

    code = make_code(offer_id=offer.pk, affiliate_id=affiliate.pk, now=NOW)
    made = Coupon.objects.get()
    end_code(coupon_id=code.coupon_id, now=NOW)

    assert (made.code, made.is_active) == (code.coupon.code, True)
    assert Coupon.objects.get().is_active is False
    assert OfferCode.objects.get().coupon_ref == str(made.pk)
