"""GET /api/affiliate/offers; POST and DELETE of /api/affiliate/coupons."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from rest_framework.test import APIClient

from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key
from affiliates.contrib.offers.models import OfferCode
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.api.calls import refusal
from tests.database import nothing_written, queries_of
from tests.factories.offers import OfferCodeFactory, OfferFactory
from tests.factories.plans import CouponCodeFactory

pytestmark = pytest.mark.django_db
COUPONS, OFFERS = "/api/affiliate/coupons", "/api/affiliate/offers"


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def api(affiliate, api_of):
    return api_of(affiliate)


@pytest.fixture
def by_key(affiliate, now):
    """A caller with a key of these scopes."""

    def by_key(*scopes):
        _, secret = give_key(
            affiliate_id=affiliate.pk,
            name="Tool",
            scopes=scopes,
            expires_at=now + timedelta(days=1),
            now=now,
        )
        return APIClient(headers={"authorization": f"Bearer {secret}"})

    return by_key


def post(api, offer_id, **fields):
    return api.post(COUPONS, {"offer_id": offer_id, **fields}, format="json")


def test_open_offers_with_what_is_left_of_them(brand, affiliate, api, now):
    offer = OfferFactory(
        brand=brand,
        text="10 % off",
        grants="On every plan.",
        translations={"de": "10 % günstiger"},
        prefix="GET-",
        max_codes=3,
        percent=Decimal("7.5"),
        affiliate_funds_percent=Decimal(40),
        for_new_clients=True,
        valid_until=now + timedelta(days=1),
    )
    OfferFactory(brand=brand, is_active=False)
    OfferCodeFactory(affiliate=affiliate, offer=offer)

    answer = api.get(OFFERS)
    german = api.get(OFFERS, HTTP_ACCEPT_LANGUAGE="de")

    row = {
        "id": offer.pk,
        "text": "10 % off",
        "grants": "On every plan.",
        "prefix": "GET-",
        "max_codes": 3,
        "codes_left": 2,
        "percent": "7.5",
        "affiliate_funds_percent": "40",
        "for_new_clients": True,
        "valid_until": "2026-03-02T12:00:00+00:00",
    }
    assert answer.json() == {"data": {"offers": [row], "page": 1, "pages": 1}}
    [in_german] = german.json()["data"]["offers"]
    assert (in_german["text"], in_german["grants"]) == (
        "10 % günstiger",
        "On every plan.",
    )


def test_offers_need_few_queries(brand, make, api):
    first = OfferFactory(brand=brand)
    api.get(OFFERS)
    before = queries_of(lambda: api.get(OFFERS))
    for _ in range(3):
        make(within=OfferFactory(brand=brand))
    make(within=first)

    assert queries_of(lambda: api.get(OFFERS)) == before


def test_a_made_code_is_answered_as_the_list_has_it(offer, api):
    answer = post(api, offer.pk, code="friends")

    [listed] = api.get(COUPONS).json()["data"]["coupons"]
    assert (answer.status_code, answer.json()) == (201, {"data": listed})
    assert (listed["code"], listed["is_active"]) == ("FRIENDS", True)
    assert (listed["percent"], listed["affiliate_funds_percent"]) == (None, "0")


def test_without_a_code_one_is_proposed(offer, api):
    assert post(api, offer.pk).json()["data"]["code"] == "PARTNER"


def test_a_repeat_answers_with_the_same_coupon(offer, api):
    first = post(api, offer.pk, code="friends")

    with nothing_written():
        again = post(api, offer.pk, code="Friends")

    assert (again.status_code, again.json()) == (201, first.json())


def test_a_repeat_by_its_key_proposes_no_other_code(brand, api):
    offer = OfferFactory(brand=brand, max_codes=5)
    key = {"idempotency-key": "0123456789abcdef0123"}

    first = api.post(COUPONS, {"offer_id": offer.pk}, format="json", headers=key)
    again = api.post(COUPONS, {"offer_id": offer.pk}, format="json", headers=key)

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert OfferCode.objects.count() == 1


@pytest.mark.parametrize(
    ("_case", "body", "field", "code"),
    [
        ("no offer", {}, "offer_id", "required"),
        ("text", {"offer_id": "1"}, "offer_id", "invalid"),
        ("true", {"offer_id": True}, "offer_id", "invalid"),
        ("null", {"offer_id": None}, "offer_id", "null"),
        ("zero", {"offer_id": 0}, "offer_id", "min_value"),
        ("beyond all ids", {"offer_id": 2**63}, "offer_id", "max_value"),
        ("number as code", {"code": 1}, "code", "invalid"),
        ("long", {"code": "X" * 65}, "code", "max_length"),
        ("zero byte", {"code": "A\0B"}, "code", "null_characters_not_allowed"),
        ("space", {"code": "A B"}, "code", "invalid"),
        ("taken", {"code": "taken"}, "code", "code_taken"),
    ],
)
def test_wrong_bodies(_case, body, field, code, offer, affiliate, api):
    CouponCodeFactory(affiliate=affiliate, code="TAKEN")
    if field == "code":
        body = {"offer_id": offer.pk, **body}

    with nothing_written():
        answer = api.post(COUPONS, body, format="json")

    assert refusal(answer) == (400, code, field)


def test_the_limit_of_the_offer_is_a_conflict(offer, make, api):
    make("friends")

    with nothing_written():
        answer = post(api, offer.pk, code="more")

    assert refusal(answer) == (409, "too_many_codes", None)


def test_an_offer_of_another_brand_is_not_found(other_brand, api):
    offer = OfferFactory(brand=other_brand)

    with nothing_written():
        answer = post(api, offer.pk)

    assert refusal(answer) == (404, "not_found", None)


def test_an_affiliate_that_waits_makes_no_code(offer, api):
    Affiliate.objects.update(status=AffiliateStatus.PENDING)

    with nothing_written():
        answer = post(api, offer.pk)

    assert refusal(answer) == (409, "affiliate_inactive", None)


def test_a_code_is_ended_once(make, api):
    coupon_id = make("friends").coupon_id

    answer = api.delete(f"{COUPONS}/{coupon_id}")
    with nothing_written():
        again = api.delete(f"{COUPONS}/{coupon_id}")

    assert (answer.status_code, answer.json()["data"]["is_active"]) == (200, False)
    assert (again.status_code, again.json()) == (200, answer.json())


def test_only_own_codes_of_offers_are_ended(affiliate, another, make, api):
    theirs = make("theirs", of=another()).coupon_id
    by_staff = CouponCodeFactory(affiliate=affiliate).pk

    for coupon_id in (theirs, by_staff, 999_999):
        with nothing_written():
            answer = api.delete(f"{COUPONS}/{coupon_id}")
        assert refusal(answer) == (404, "not_found", None)


@pytest.mark.parametrize("scope", Scope)
def test_keys_need_the_scope_of_links(scope, offer, make, by_key):
    caller, coupon_id = by_key(scope), make("friends").coupon_id

    made = post(caller, offer.pk, code="friends")
    ended = caller.delete(f"{COUPONS}/{coupon_id}")
    listed = caller.get(OFFERS)

    expected = (201, 200) if scope == Scope.LINKS else (403, 403)
    assert (made.status_code, ended.status_code) == expected
    assert listed.status_code == (200 if scope == Scope.STATISTICS else 403)


def test_without_credentials_nothing_is_answered(offer, make):
    caller, coupon_id = APIClient(), make("friends").coupon_id

    with nothing_written():
        answers = [
            caller.get(OFFERS),
            post(caller, offer.pk),
            caller.delete(f"{COUPONS}/{coupon_id}"),
        ]

    assert [answer.status_code for answer in answers] == [401, 401, 401]
