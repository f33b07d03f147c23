"""Codes that a client types or names, without a coupon of the host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from affiliates.host_events import is_affiliate_code, order_placed
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules import trace
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.plans import CouponCodeFactory


@pytest.fixture
def coupon(rival):
    return CouponCodeFactory(affiliate=rival, code="RIVAL10", percent=5)


def place(placed, now, cookie=None, **codes) -> OrderReferral:
    order_placed(replace(placed, **codes), referral_cookie=cookie, now=now)
    return OrderReferral.objects.get()


@pytest.mark.parametrize(
    ("_case", "text", "code"),
    [
        ("an affiliate's own code", "partner", "partner"),
        ("in another case, with spaces", "  ParTner ", "partner"),
        ("the text of a coupon that the host does not know", "rival10", "RIVAL10"),
    ],
)
def test_typed_code_credits_its_affiliate(
    _case, text, code, placed, affiliate, rival, coupon, now
):
    assert is_affiliate_code(text, brand_id=placed.brand_id)

    referral = place(placed, now, affiliate_code=text)

    assert referral.affiliate == {"partner": affiliate, "RIVAL10": rival}[code]
    assert (referral.reason, referral.coupon_code) == ("typed", code)
    assert referral.decision["order"]["typed"]["code"] == code


@pytest.mark.parametrize(
    ("_case", "text"),
    [
        ("nothing", ""),
        ("spaces", "  "),
        ("nobody's", "nobody"),
        ("a NUL", "part\0ner"),
        ("very long", "partner" * 9),
        ("another brand's", "elsewhere"),
        ("a coupon that is switched off", "OFF10"),
        ("a suspended affiliate's", "suspended"),
    ],
)
def test_other_texts_credit_nobody(_case, text, placed, affiliate, host, now):
    elsewhere = BrandFactory(client_area="other.example.com")
    stranger = host.client(elsewhere, email="elsewhere@example.com")
    AffiliateFactory(brand=elsewhere, user=stranger, code="elsewhere")
    AffiliateFactory(
        brand=affiliate.brand,
        user=host.client(affiliate.brand, email="suspended@example.com"),
        code="suspended",
        status=AffiliateStatus.SUSPENDED,
    )
    CouponCodeFactory(affiliate=affiliate, code="OFF10", is_active=False)

    assert not is_affiliate_code(text, brand_id=placed.brand_id)

    referral = place(placed, now, affiliate_code=text)

    assert (referral.outcome, referral.reason) == ("nobody", "no_touch")
    assert referral.coupon_code == ""


def test_code_of_a_merged_affiliate_credits_the_other(placed, affiliate, rival, now):
    affiliate.merged_into = rival
    affiliate.status = AffiliateStatus.SUSPENDED
    affiliate.save()

    assert place(placed, now, affiliate_code="partner").affiliate == rival


def test_affiliates_own_code_is_a_self_referral(placed, buyer, now):
    AffiliateFactory(brand_id=placed.brand_id, user=buyer, code="myself")

    referral = place(placed, now, affiliate_code="myself")

    assert (referral.outcome, referral.reason) == ("held", "self_referral")


@pytest.mark.parametrize(
    ("_case", "codes", "over_link", "winner", "reason", "losers"),
    [
        (
            "a typed code beats a link",
            {"affiliate_code": "rival"},
            True,
            "rival",
            "typed",
            [("partner", "A code won", "Code or link")],
        ),
        (
            "unless the brand prefers links",
            {"affiliate_code": "rival"},
            False,
            "partner",
            "last_click",
            [("rival", "A click won over the code", "Code or link")],
        ),
        (
            "a coupon beats a typed code and a link",
            {"coupon_codes": ("rival10",), "affiliate_code": "partner"},
            True,
            "rival",
            "coupon",
            [
                ("partner", "A code won", "Code or link"),
                ("partner", "A code won", "Code or link"),
            ],
        ),
    ],
)
def test_two_affiliates_never_split_an_order(
    _case, codes, over_link, winner, reason, losers, placed, rival, coupon, cookie, now
):
    rival.brand.coupon_over_link = over_link
    rival.brand.save()

    referral = place(placed, now, cookie, **codes)

    assert (referral.affiliate.code, referral.reason) == (winner, reason)
    lines = trace.explain(referral.decision).candidates
    assert [
        (line.affiliate_code, line.verdict, line.rule)
        for line in lines
        if not line.is_winner
    ] == losers
