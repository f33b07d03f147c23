"""The affiliate's coupon codes, as the API answers them and the page shows them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from rest_framework.test import APIClient

from tests.database import queries_of
from tests.factories.plans import CouponCodeFactory

pytestmark = pytest.mark.django_db

PAGE = "/affiliate/coupons"
COUPONS = "/api/affiliate/coupons"


@pytest.fixture
def partner(affiliate) -> APIClient:
    client = APIClient()
    client.force_authenticate(affiliate.user)
    return client


def test_codes_are_the_affiliates_own(partner, affiliate, rival):
    own = CouponCodeFactory(affiliate=affiliate, code="AUTUMN", percent=Decimal("12.5"))
    CouponCodeFactory(affiliate=rival, code="THEIRS")

    data = partner.get(COUPONS).json()["data"]

    names = ("clicks", "human_clicks", "unique_clicks", "signups", "orders", "sales")
    counts = {**dict.fromkeys((*names, "reversals"), 0), "conversion_rate": None}
    assert data == {
        "coupons": [
            {
                "id": own.pk,
                "code": "AUTUMN",
                "is_active": True,
                "percent": "12.5",
                "affiliate_funds_percent": "0",
                "figures": {"counts": counts, "amounts": {}},
            }
        ],
        "page": 1,
        "pages": 1,
    }


def test_codes_are_filtered(partner, affiliate):
    CouponCodeFactory(affiliate=affiliate, code="OLD", is_active=False)
    CouponCodeFactory(affiliate=affiliate, code="NEW")

    answer = partner.get(COUPONS, {"is_active": "true"})

    assert [one["code"] for one in answer.json()["data"]["coupons"]] == ["NEW"]


def test_the_page_shows_what_a_code_earns(browser, affiliate):
    CouponCodeFactory(affiliate=affiliate, code="AUTUMN", percent=Decimal("12.5"))
    CouponCodeFactory(affiliate=affiliate, code="WINTER", is_active=False)

    answer = browser.get(PAGE)

    assert 'value="AUTUMN"' in answer.text
    assert "12.5 %" in answer.text
    assert "As your plan says" in answer.text
    assert "Switched off: it credits nobody" in answer.text


def test_without_codes_the_page_says_what_to_do(browser):
    assert "You have no coupon code yet." in browser.get(PAGE).text


def test_more_codes_take_no_more_queries(browser, affiliate):
    CouponCodeFactory(affiliate=affiliate)
    browser.get(PAGE)
    few = queries_of(lambda: browser.get(PAGE))
    for _ in range(5):
        CouponCodeFactory(affiliate=affiliate)

    assert queries_of(lambda: browser.get(PAGE)) == few
