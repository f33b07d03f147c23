"""Specification, section 2: resources and their fields."""

from __future__ import annotations

import base64

import ada_url
import pytest

from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.models import Click
from portal.billing.models import Invoice
from portal.clients.models import User
from tests.affiliates.api.calls import refusal
from tests.contract.frontend import BROWSER, PERSON, cookie_octets
from tests.contract.openapi import check_request
from tests.database import nothing_written

VISIT = "/api/affiliate_link/visit"
REGISTER = "/api/clients/register"
PAGE = "https://shop.example.com/"
BODY = {"visit_url": PAGE, "referrer_url": "", "user_agent": BROWSER}
NOT_STRINGS = [7, 1.5, True, ["a"], {"a": "b"}]


def test_s2_1_t1_cookie_is_a_string(frontend, link_url):
    assert isinstance(frontend.visit(link_url)["referral_cookie"], str)


def test_s2_1_t2_cookie_reveals_nothing(frontend, link, link_url):
    first = frontend.visit(link_url)["referral_cookie"]
    second = frontend.visit(PAGE)["referral_cookie"]

    click = Click.objects.get()
    for value in (first, second):
        content = base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))
        for secret in (link.hash, click.id.hex, click.visitor_id.hex):
            assert secret not in value
            assert bytes.fromhex(secret) not in content
    # The same content twice: two values without a common beginning but the key's.
    assert first[4:20] != second[4:20]


def test_s2_1_t3_cookie_needs_no_encoding_and_no_modified_one_is_believed(
    frontend, link_url
):
    value = frontend.visit(link_url)["referral_cookie"]
    assert cookie_octets(value)

    for modified in (value.upper(), value + "=", f'"{value}"', value[:-1], value[1:]):
        frontend.cookie = modified
        assert "referral_cookie" not in frontend.visit(PAGE)


def test_s2_1_t3_updated_value_replaces_the_stored_one(
    frontend, affiliate, link_url, product_id
):
    frontend.visit(link_url)
    for _ in range(3):
        frontend.visit(PAGE)
    frontend.register()
    frontend.buy(product_id)

    assert OrderReferral.objects.get().affiliate_id == affiliate.pk
    assert OrderReferral.objects.get().referral_cookie == frontend.cookie


def test_s2_1_t4_every_endpoint_accepts_a_request_without_the_cookie(
    frontend, product_id
):
    assert set(frontend.visit(PAGE)) == {"redirect_url"}
    assert frontend.become_guest().status_code == 201
    assert frontend.complete_registration().status_code == 200
    assert frontend.register(email="other@example.org").status_code == 201
    assert frontend.buy(product_id)["id"]


def test_s2_2_t1_visit_url_is_a_required_url(frontend):
    without = {name: value for name, value in BODY.items() if name != "visit_url"}
    with nothing_written():
        missing = frontend.api.post(VISIT, without, format="json")
        no_url = frontend.api.post(VISIT, {**BODY, "visit_url": "x"}, format="json")

    assert refusal(missing) == (400, "required", "visit_url")
    assert refusal(no_url) == (400, "invalid", "visit_url")


@pytest.mark.parametrize("rest", ["?ref=partner&a=b#top", "#/plans?ref=partner"])
def test_s2_2_t1_query_string_and_hash_of_visit_url_are_read(frontend, affiliate, rest):
    frontend.visit(PAGE + rest)

    click = Click.objects.get()
    assert click.affiliate_id == affiliate.pk
    assert click.visit_url == PAGE + rest


def test_s2_2_t2_referrer_url_is_required(frontend, link_url):
    without = {name: value for name, value in BODY.items() if name != "referrer_url"}
    with nothing_written():
        missing = frontend.api.post(VISIT, without, format="json")
    frontend.visit(link_url, referrer_url="https://blog.example.org/post")

    assert refusal(missing) == (400, "required", "referrer_url")
    assert Click.objects.get().referrer_url == "https://blog.example.org/post"


def test_s2_2_t3_user_agent_is_required(frontend, link_url):
    without = {name: value for name, value in BODY.items() if name != "user_agent"}
    with nothing_written():
        missing = frontend.api.post(VISIT, without, format="json")
    frontend.visit(link_url)

    assert refusal(missing) == (400, "required", "user_agent")
    assert Click.objects.get().user_agent == BROWSER


@pytest.mark.parametrize("value", NOT_STRINGS)
def test_s2_2_t4_referral_cookie_is_an_optional_string(frontend, link_url, value):
    with nothing_written():
        refused = frontend.api.post(
            VISIT, {**BODY, "referral_cookie": value}, format="json"
        )
    frontend.visit(link_url)
    held = frontend.visit(PAGE)

    assert refusal(refused) == (400, "invalid", "referral_cookie")
    assert held["referral_cookie"]


@pytest.mark.parametrize("page", ["aff", "plain"])
def test_s2_3_1_response_has_a_single_data_object(frontend, link_url, page):
    url = link_url if page == "aff" else PAGE
    response = frontend.api.post(VISIT, {**BODY, "visit_url": url}, format="json")

    assert response.status_code == 200
    assert set(response.json()) == {"data"}
    assert isinstance(response.json()["data"], dict)


@pytest.mark.parametrize(
    "rest",
    ["", "?ref=nobody", "?redirect=/a", "?redirect=//evil.example", "?redirect="],
)
def test_s2_3_t1_redirect_url_is_always_a_url(frontend, rest):
    url = frontend.visit(PAGE + rest)["redirect_url"]

    assert ada_url.URL(url).protocol == "https:"


def test_s2_3_t2_referral_cookie_is_new_updated_or_absent(frontend, link_url):
    absent = frontend.visit(PAGE)
    new = frontend.visit(link_url)
    updated = frontend.visit(PAGE)

    assert "referral_cookie" not in absent
    assert updated["referral_cookie"] != new["referral_cookie"]


def test_s2_3_t3_max_age_is_an_integer_and_comes_with_the_cookie(frontend, link_url):
    absent = frontend.visit(PAGE)
    new = frontend.visit(link_url)

    assert "referral_cookie_max_age" not in absent
    assert new["referral_cookie_max_age"] == 90 * 86_400


def test_s2_4_t1_email_becomes_the_clients(frontend):
    frontend.register(email="grace@example.org")

    assert User.objects.get().email == "grace@example.org"


def test_s2_4_t2_firstname_becomes_the_clients(frontend):
    frontend.register(firstname="Grace")

    assert User.objects.get().firstname == "Grace"


def test_s2_4_t3_lastname_becomes_the_clients(frontend):
    frontend.register(lastname="Hopper")

    assert User.objects.get().lastname == "Hopper"


def test_s2_4_t4_password_becomes_the_clients(frontend):
    frontend.register(password="another horse battery")

    assert User.objects.get().check_password("another horse battery")


@pytest.mark.parametrize("value", NOT_STRINGS)
def test_s2_4_t5_referral_cookie_is_an_optional_string(
    frontend, affiliate, link_url, value
):
    with nothing_written():
        refused = frontend.register(referral_cookie=value)
    frontend.visit(link_url)
    frontend.register()

    assert refusal(refused) == (400, "invalid", "referral_cookie")
    assert ClientReferral.objects.get().affiliate_id == affiliate.pk


@pytest.mark.parametrize("user_agent", [BROWSER, "", "x" * 5000])
def test_s2_4_t6_user_agent_is_taken(frontend, user_agent):
    assert frontend.register(user_agent=user_agent).status_code == 201


def test_s2_5_t1_payment_details_id_is_an_integer_and_used_for_the_order(
    frontend, product_id
):
    frontend.become_guest()
    order_id, details_id = frontend.fill_basket(product_id)
    with nothing_written():
        refused = frontend.convert(order_id, "first")
    frontend.convert(order_id, details_id)

    assert isinstance(details_id, int)
    assert refusal(refused) == (400, "invalid", "payment_details_id")
    assert Invoice.objects.get().payment_details_id == details_id


def test_s2_5_t2_referral_cookie_associates_the_order_referral(
    frontend, affiliate, link_url, product_id
):
    frontend.visit(link_url)
    frontend.become_guest(referral_cookie=None)
    frontend.buy(product_id)

    referral = OrderReferral.objects.get()
    assert referral.affiliate_id == affiliate.pk
    assert referral.referral_cookie == frontend.cookie


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", VISIT, {**BODY, "referral_cookie": "abc"}),
        ("POST", REGISTER, {**PERSON, "user_agent": "", "referral_cookie": "abc"}),
        ("POST", f"{REGISTER}/guest", {"user_agent": "", "referral_cookie": "abc"}),
        (
            "POST",
            "/api/clients/1/complete_registration",
            {**PERSON, "user_agent": "", "referral_cookie": "abc"},
        ),
        (
            "PATCH",
            "/api/orders/1/convert",
            {"payment_details_id": 1, "referral_cookie": "abc"},
        ),
    ],
)
def test_specified_bodies_are_the_described_ones(db, method, path, body):
    check_request(method, path, body)
