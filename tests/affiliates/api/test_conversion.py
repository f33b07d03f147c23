"""A basket becomes its initial invoice."""

from __future__ import annotations

import pytest

from affiliates.referrals.models import OrderReferral
from tests.affiliates.api.calls import SHOP, convert, convert_url, refusal, visited
from tests.database import nothing_written

NOT_FOUND = (404, "not_found", None)
OTHER = "https://other.example.net"


@pytest.fixture
def cookie(api, link):
    return visited(api, f"{SHOP}/aff/{link.hash}")["referral_cookie"]


def test_cookie_is_stored_against_the_initial_invoice(
    as_buyer, buyer, brand, link, cookie, order, details
):
    answer = convert(
        as_buyer, order, payment_details_id=details, referral_cookie=cookie
    )

    assert answer.status_code == 200
    assert set(answer.json()) == {"data"}
    data = answer.json()["data"]
    referral = OrderReferral.objects.get()
    assert referral.brand_id == brand.pk
    assert referral.order_ref == order == data["order_id"]
    assert referral.invoice_ref == data["id"]
    assert referral.client_id == buyer.pk
    assert referral.referral_cookie == cookie
    assert referral.affiliate_id == link.affiliate_id
    assert (referral.outcome, referral.reason) == ("credited", "last_click")


def test_cookie_is_optional_and_the_decision_is_stored_all_the_same(
    as_buyer, order, details
):
    answer = convert(as_buyer, order, payment_details_id=details)

    assert answer.status_code == 200
    referral = OrderReferral.objects.get()
    assert (referral.outcome, referral.reason) == ("nobody", "no_touch")
    assert referral.affiliate_id is None
    assert referral.referral_cookie == ""


@pytest.mark.parametrize(
    ("_case", "value", "state"),
    [
        ("null", None, "absent"),
        ("empty", "", "absent"),
        ("word", "garbage", "unusable"),
        ("8 kB", "A" * 8192, "unusable"),
        ("NUL", "a\x00b", "unusable"),
    ],
)
def test_value_that_is_no_cookie_is_ignored(
    as_buyer, order, details, _case, value, state
):
    answer = convert(as_buyer, order, payment_details_id=details, referral_cookie=value)

    assert answer.status_code == 200
    referral = OrderReferral.objects.get()
    assert referral.referral_cookie == ""
    assert referral.decision["cookie"] == state


@pytest.mark.parametrize("value", [7, 1.5, True, [], {}])
def test_cookie_of_the_wrong_type_is_refused(as_buyer, order, details, value):
    with nothing_written():
        answer = convert(
            as_buyer, order, payment_details_id=details, referral_cookie=value
        )

    assert refusal(answer) == (400, "invalid", "referral_cookie")


def test_empty_basket_is_refused(as_buyer, buyer, host, details):
    order = host.order(buyer, is_empty=True)

    with nothing_written():
        answer = convert(as_buyer, order, payment_details_id=details)

    assert refusal(answer) == (400, "basket_empty", None)


def test_repeat_answers_the_same_and_the_first_cookie_stands(
    as_buyer, order, details, cookie, rival_link
):
    first = convert(as_buyer, order, payment_details_id=details, referral_cookie=cookie)
    other = visited(as_buyer, f"{SHOP}/aff/{rival_link.hash}")["referral_cookie"]

    with nothing_written():
        repeats = [
            convert(as_buyer, order, payment_details_id=details, **fields)
            for fields in ({"referral_cookie": other}, {"referral_cookie": None}, {})
        ]

    for repeat in repeats:
        assert (repeat.status_code, repeat.content) == (200, first.content)
    assert OrderReferral.objects.get().referral_cookie == cookie


def test_cookie_sent_too_late_credits_nobody(as_buyer, order, details, cookie):
    convert(as_buyer, order, payment_details_id=details)

    with nothing_written():
        answer = convert(
            as_buyer, order, payment_details_id=details, referral_cookie=cookie
        )

    assert answer.status_code == 200
    assert OrderReferral.objects.get().outcome == "nobody"


def test_guest_may_convert_its_basket(api, brand, host, cookie):
    guest = host.guest(brand)
    api.credentials(HTTP_AUTHORIZATION=host.authorization(guest))

    answer = convert(
        api,
        host.order(guest),
        payment_details_id=host.payment_details_id(guest),
        referral_cookie=cookie,
    )

    assert answer.status_code == 200
    assert OrderReferral.objects.get().outcome == "credited"


def test_other_clients_order_answers_like_an_absent_one(as_buyer, brand, host, details):
    stranger = host.client(brand, email="stranger@example.com")
    ids = [host.order(stranger), "0", "99999999", "9" * 40, "no-such", "%00", "ü", "-1"]
    ids += ["00000000-0000-0000-0000-000000000000", "a" * 300]

    with nothing_written():
        answers = [
            convert(as_buyer, order_id, payment_details_id=details) for order_id in ids
        ]

    assert {refusal(answer) for answer in answers} == {NOT_FOUND}
    assert len({answer.content for answer in answers}) == 1


def test_credentials_are_required(api, order, details):
    with nothing_written():
        answer = convert(api, order, payment_details_id=details)

    assert refusal(answer) == (401, "not_authenticated", None)


def test_origin_of_another_brand_is_refused(
    as_buyer, order, details, cookie, other_brand
):
    body = {"payment_details_id": details, "referral_cookie": cookie}

    with nothing_written():
        answer = as_buyer.patch(
            convert_url(order), body, format="json", headers={"origin": OTHER}
        )

    assert refusal(answer) == (403, "origin_of_another_brand", None)


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("null", (400, "origin_required", None)),
        (f"{SHOP}/", (400, "origin_required", None)),
        ("https://evil.example", (403, "origin_not_registered", None)),
    ],
)
def test_origin_that_is_none_is_refused(as_buyer, order, details, origin, expected):
    body = {"payment_details_id": details}

    with nothing_written():
        answer = as_buyer.patch(
            convert_url(order), body, format="json", headers={"origin": origin}
        )

    assert refusal(answer) == expected


def test_origin_may_be_absent(outsider, buyer, order, details, host, other_brand):
    outsider.credentials(HTTP_AUTHORIZATION=host.authorization(buyer))

    assert convert(outsider, order, payment_details_id=details).status_code == 200


def test_cookie_of_another_brand_credits_nobody(
    as_buyer, order, details, cookie, host, other_brand, outsider
):
    stranger = host.client(other_brand, email="stranger@example.com")
    outsider.credentials(HTTP_AUTHORIZATION=host.authorization(stranger))

    answer = convert(
        outsider,
        host.order(stranger),
        payment_details_id=host.payment_details_id(stranger),
        referral_cookie=cookie,
    )

    assert answer.status_code == 200
    referral = OrderReferral.objects.get()
    assert (referral.brand_id, referral.outcome) == (other_brand.pk, "nobody")
    assert referral.decision["cookie"] == "unusable"
