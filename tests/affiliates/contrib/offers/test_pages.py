"""The page of offers, where an affiliate makes and ends codes."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine

from affiliates.contrib.offers.models import OfferCode
from affiliates.contrib.offers.services import end_code, publish_offer
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.database import nothing_written
from tests.factories.offers import OfferFactory
from tests.factories.plans import CouponCodeFactory

pytestmark = pytest.mark.django_db
PAGE = "/affiliate/offers"
GERMAN = {"accept-language": "de"}


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def browser(affiliate, browser_of):
    return browser_of(affiliate)


def test_without_offers_the_page_says_so(browser, brand, other_brand):
    OfferFactory(brand=other_brand)

    page = browser.get(PAGE).text

    assert f"{brand.name} has no offer for your friends now." in page
    assert "Make a code" not in page


@pytest.mark.parametrize(
    ("_case", "fields", "sentences"),
    [
        (
            "the plan's rate",
            {},
            ["Every client", "Without an end", "What your plan says"]
            + ["Nothing of the discount"],
        ),
        (
            "own rate",
            {
                "percent": Decimal("7.5"),
                "affiliate_funds_percent": Decimal(40),
                "for_new_clients": True,
                "valid_until": timedelta(days=1),
                "grants": "On every plan.",
                "prefix": "GET-",
            },
            ["New clients only", "2 Mar 2026, 12:00", "7.5 % instead of your plan"]
            + ["40 % of the discount. It is taken from your commission"]
            + ["<p>On every plan.</p>", "begins with <strong>GET-</strong>"],
        ),
    ],
)
def test_what_the_friend_and_the_affiliate_get(
    _case, fields, sentences, brand, browser, now
):
    if "valid_until" in fields:
        fields = {**fields, "valid_until": now + fields["valid_until"]}
    OfferFactory(brand=brand, text="10 % off", **fields)

    page = browser.get(PAGE).text

    for sentence in ["<h2>10 % off</h2>", "Make a code", *sentences]:
        assert sentence in page


def test_the_page_in_german(brand, browser):
    OfferFactory(
        brand=brand,
        text="10 % off",
        translations={"de": "10 % günstiger"},
        affiliate_funds_percent=Decimal("12.5"),
    )

    page = browser.get(PAGE, headers=GERMAN).text

    for sentence in ("Angebote", "10 % günstiger", "12,5 % des Rabatts"):
        assert sentence in page
    assert "10 % off" not in page


@pytest.mark.parametrize(
    ("_case", "typed", "expected"),
    [
        ("after the prefix", "jo", "GET-JO"),
        ("with the prefix", "get-jo", "GET-JO"),
        ("proposed", "", "GET-PARTNER"),
    ],
)
def test_a_code_is_made_and_shown(_case, typed, expected, brand, browser):
    offer = OfferFactory(brand=brand, prefix="GET-")

    answer = browser.post(f"{PAGE}/{offer.pk}", {"code": typed}, follow=True)

    assert answer.redirect_chain == [(PAGE, 302)]
    assert OfferCode.objects.get().coupon.code == expected
    assert f"The code {expected} is made: tell your friends." in answer.text
    assert f'value="{expected}"' in answer.text
    assert "You have the code of this offer. End it to make another." in answer.text


def test_a_refusal_stands_beside_the_field_of_its_offer(brand, affiliate, browser):
    first, second = (OfferFactory(brand=brand, name=name) for name in "AB")
    CouponCodeFactory(affiliate=affiliate, code="TAKEN")

    with nothing_written():
        answer = browser.post(f"{PAGE}/{second.pk}", {"code": "taken"})

    assert answer.status_code == 400
    assert answer.text.count("This code is taken, or was before") == 1
    before, after = answer.text.split(f'id="id_{second.pk}_code_faults"')
    assert f'id="id_{first.pk}_code_faults"' in before
    assert "This code is taken" in after


def test_an_offer_that_ended_meanwhile_says_so(offer, browser):
    offer.change(is_active=False)

    with nothing_written():
        answer = browser.post(f"{PAGE}/{offer.pk}", {"code": "friends"})

    assert answer.status_code == 400
    assert "This offer is not valid now: no codes can be made." in answer.text


def test_an_offer_of_another_brand_is_no_page(other_brand, browser):
    offer = OfferFactory(brand=other_brand)

    with nothing_written():
        answer = browser.post(f"{PAGE}/{offer.pk}", {"code": "friends"})

    assert answer.status_code == 404


def test_several_codes_up_to_the_limit(offer, browser, make, now):
    publish_offer(offer.change(max_codes=2), now=now)
    make("one")
    between = browser.get(PAGE).text
    make("two")

    page = browser.get(PAGE).text

    assert "Make a code" in between
    assert "You have all 2 codes of this offer. End one to make another." in page
    assert "Make a code" not in page


def test_a_code_is_ended_after_a_question(browser, make):
    coupon_id = make("friends").coupon_id
    page = f"/affiliate/codes/{coupon_id}/end"

    with nothing_written():
        question = browser.get(page).text
    answer = browser.post(page, follow=True)

    assert "FRIENDS stops working at once" in question
    assert answer.redirect_chain == [(PAGE, 302)]
    assert "The code is ended." in answer.text
    assert OfferCode.objects.get().ended_at is not None
    assert f"/affiliate/codes/{coupon_id}/end" not in answer.text


@pytest.mark.parametrize("method", ["get", "post"])
def test_only_own_codes_can_be_ended(method, browser, make, another, affiliate):
    theirs = make("theirs", of=another()).coupon_id
    by_staff = CouponCodeFactory(affiliate=affiliate).pk

    for coupon_id in (theirs, by_staff):
        with nothing_written():
            answer = getattr(browser, method)(f"/affiliate/codes/{coupon_id}/end")
        assert answer.status_code == 404


def test_codes_of_ended_offers_stay_listed(offer, browser, make, now):
    make("friends")
    offer.change(is_active=False)
    shown = browser.get(PAGE).text
    end_code(coupon_id=OfferCode.objects.get().coupon_id, now=now)

    assert "Codes of offers that are not open now" in shown
    assert 'value="FRIENDS"' in shown
    assert "Orders with them are still credited to you" in shown
    assert "Codes of offers that are not open now" not in browser.get(PAGE).text


def test_an_affiliate_that_waits_sees_no_form(offer, browser):
    Affiliate.objects.update(status=AffiliateStatus.PENDING)

    page = browser.get(PAGE).text

    assert "Only an active affiliate can make codes." in page
    assert "Make a code" not in page
