"""Coupons in Django admin: a version is kept of what is saved."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from tests.affiliates.plans.test_admin import errors_of
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import CouponCodeFactory

pytestmark = [pytest.mark.portable, pytest.mark.django_db]


def coupon(affiliate, **fields):
    return {
        "brand": affiliate.brand_id,
        "affiliate": affiliate.pk,
        "code": "Spring",
        "is_active": "on",
        "affiliate_funds_percent": "0",
        "versions-TOTAL_FORMS": "0",
        "versions-INITIAL_FORMS": "0",
        **fields,
    }


def test_coupon_is_saved_in_upper_case_with_its_version(admin_client, affiliate):
    answer = admin_client.post(
        reverse("admin:affiliates_couponcode_add"), coupon(affiliate, percent="12.5")
    )

    assert answer.status_code == 302
    version = CouponCodeVersion.objects.get()
    assert (version.coupon.code, version.affiliate) == ("SPRING", affiliate)
    assert version.terms == {
        "code": "SPRING",
        "percent": "12.5",
        "affiliate_funds_percent": "0",
    }


@pytest.mark.parametrize(
    ("fields", "field", "fault"),
    [
        (
            {"code": "sPRing"},
            "__all__",
            "Another coupon of this brand has this code.",
        ),
        ({"code": "two words"}, "code", "A coupon code has no spaces."),
        (
            {"percent": "101", "code": "new"},
            "percent",
            "Ensure this value is less than or equal to 100.",
        ),
        (
            {"affiliate_funds_percent": "-1", "code": "new"},
            "affiliate_funds_percent",
            "Ensure this value is greater than or equal to 0.",
        ),
    ],
)
def test_faulty_coupon_is_refused(admin_client, affiliate, fields, field, fault):
    CouponCodeFactory(affiliate=affiliate, code="SPRING")

    answer = admin_client.post(
        reverse("admin:affiliates_couponcode_add"), coupon(affiliate, **fields)
    )

    assert answer.status_code == 200
    assert errors_of(answer)[field] == [fault]
    assert CouponCode.objects.count() == CouponCodeVersion.objects.count() == 1


def test_coupon_of_another_brands_affiliate_is_refused(admin_client, affiliate):
    other_brand = BrandFactory(client_area="other.example.com")

    answer = admin_client.post(
        reverse("admin:affiliates_couponcode_add"),
        coupon(affiliate, brand=other_brand.pk),
    )

    assert errors_of(answer) == {
        "affiliate": [
            "This affiliate belongs to another brand: choose one of this brand."
        ]
    }
    assert CouponCode.objects.count() == 0


def test_coupons_code_stays_and_its_changed_terms_are_a_version(
    admin_client, affiliate
):
    row = CouponCodeFactory(affiliate=affiliate, code="SPRING")
    page = reverse("admin:affiliates_couponcode_change", args=[row.pk])

    admin_client.post(page, coupon(affiliate, code="OTHER", percent="5"))

    row.refresh_from_db()
    assert (row.code, row.percent) == ("SPRING", Decimal(5))
    assert row.versions.count() == 2
    assert "5 % instead of the plan&#x27;s rate." in (
        admin_client.get(page).content.decode()
    )
