"""The offer that a visitor of an affiliate's link is shown."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from affiliates.contrib.offers.services import end_code
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.api.calls import SHOP
from tests.affiliates.host_events.cookies import click_of, cookie_of
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.offers import OfferFactory

pytestmark = pytest.mark.django_db
PATH = "/api/affiliate_link/offer"
NOTHING = {"data": None}
DAY = timedelta(days=1)


@pytest.fixture
def clicked(affiliate):
    return click_of(affiliate, timezone.now() - DAY)


@pytest.fixture
def offer(brand):
    until = timezone.now().replace(microsecond=0) + 5 * DAY
    return OfferFactory(
        brand=brand,
        text="10 % off your first invoice",
        translations={"de": "10 % auf die erste Rechnung"},
        valid_until=until,
    )


@pytest.fixture
def code(make):
    return make("ADA10", at=timezone.now())


@pytest.fixture
def ask(clicked):
    def ask(cookie=..., *, origin=SHOP, **headers):
        body = {"referral_cookie": cookie_of(clicked) if cookie is ... else cookie}
        headers = {"HTTP_ORIGIN": origin, **headers}
        return APIClient().post(PATH, body, format="json", **headers)

    return ask


def test_offer_of_the_cookies_affiliate_is_shown(ask, offer, code):
    with nothing_written():
        answer = ask()

    assert answer.status_code == 200
    assert answer.json() == {
        "data": {
            "code": "ADA10",
            "text": "10 % off your first invoice",
            "expires_at": offer.valid_until.isoformat().replace("+00:00", "Z"),
        }
    }
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("languages", "text"),
    [
        ("de-AT,de;q=0.9", "10 % auf die erste Rechnung"),
        ("fr", "10 % off your first invoice"),
        ("", "10 % off your first invoice"),
    ],
)
def test_text_is_in_the_language_that_is_asked_for(languages, text, ask, code):
    answer = ask(HTTP_ACCEPT_LANGUAGE=languages)

    assert answer.json()["data"]["text"] == text


@pytest.mark.parametrize("cookie", [None, "", "nonsense", "x" * 5_000])
def test_without_a_usable_cookie_there_is_nothing(cookie, ask, code):
    answer = ask(cookie)

    assert (answer.status_code, answer.json()) == (200, NOTHING)


def test_cookie_may_be_left_out(code):
    answer = APIClient().post(PATH, {}, format="json", HTTP_ORIGIN=SHOP)

    assert (answer.status_code, answer.json()) == (200, NOTHING)


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("an ended code", lambda code, affiliate, brand: end(code)),
        (
            "an offer that has ended",
            lambda code, affiliate, brand: code.version.offer.change(is_active=False),
        ),
        (
            "an expired offer",
            lambda code, affiliate, brand: code.version.offer.change(
                valid_until=timezone.now()
            ),
        ),
        (
            "a suspended affiliate",
            lambda code, affiliate, brand: affiliate.change(
                status=AffiliateStatus.SUSPENDED
            ),
        ),
        (
            "a program that is off",
            lambda code, affiliate, brand: brand.change(own_program=False),
        ),
        (
            "a window that is over",
            lambda code, affiliate, brand: brand.change(attribution_window_days=1),
        ),
    ],
)
def test_there_is_nothing_to_show_of(_case, change, ask, code, affiliate, brand):
    change(code, affiliate, brand)

    assert ask().json() == NOTHING


def end(code) -> None:
    end_code(coupon_id=code.coupon_id, now=timezone.now())


def test_another_affiliates_code_is_not_shown(ask, make, rival):
    make("RIVAL10", of=rival)

    assert ask().json() == NOTHING


def test_the_later_affiliates_code_is_shown_where_the_last_click_wins(
    ask, clicked, code, make, rival
):
    make("RIVAL10", of=rival)
    later = click_of(rival, clicked.created_at + timedelta(hours=1))
    later.visitor_id = clicked.visitor_id
    later.save()

    assert ask().json()["data"]["code"] == "RIVAL10"


def test_another_brands_cookie_shows_nothing(ask, code):
    BrandFactory(client_area="other.example.com")

    answer = ask(origin="https://other.example.com")

    assert (answer.status_code, answer.json()) == (200, NOTHING)


@pytest.mark.parametrize(
    ("_case", "body", "origin", "status", "error"),
    [
        ("no Origin", {}, None, 400, "origin_required"),
        ("a foreign Origin", {}, "https://x.example", 403, "origin_not_registered"),
        ("a list", [], SHOP, 400, "invalid"),
        ("a number", {"referral_cookie": 1}, SHOP, 400, "invalid"),
    ],
)
def test_a_faulty_request_is_refused(_case, body, origin, status, error, brand):
    headers = {"HTTP_ORIGIN": origin} if origin else {}

    answer = APIClient().post(PATH, body, format="json", **headers)

    assert answer.status_code == status
    assert answer.json()["errors"][0]["code"] == error


def test_calls_are_limited(ask, code, settings):
    settings.AFFILIATES_THROTTLE_RATES = {"offer": "1/minute"}

    assert [ask(REMOTE_ADDR="203.0.113.9").status_code for _ in range(2)] == [200, 429]
