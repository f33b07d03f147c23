"""Specification, sections 4.1, 5, 7 and 9: the visit endpoint, and what holds for all."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from affiliates.visits.models import Click
from tests.affiliates.api.calls import refusal
from tests.contract.frontend import BROWSER, Frontend, cookie_octets
from tests.contract.openapi import operations
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandDomainFactory
from tests.factories.portal import ClientFactory
from tests.guard.markers import marker

VISIT = "/api/affiliate_link/visit"
SHOP = "https://shop.example.com"
WELCOME = f"{SHOP}/welcome"
OTHER = "https://other.example.net"
BODY = {"visit_url": f"{SHOP}/", "referrer_url": "", "user_agent": BROWSER}
EVIL = [
    "https://evil.example/",
    "//evil.example/",
    "/\t/evil.example/",
    "https:evil.example",
    "https:\\\\evil.example",
    "\\\\evil.example",
    "///evil.example",
    "https://shop.example.com@evil.example/",
    "https://shop.example.com.evil.example/",
    "https://evilshop.example.com/",
    "https://shop.example.com%2eevil.example/",
    "https://shop。example.com.evil.example/",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "blob:https://shop.example.com/x",
    "http://2130706433/",
    "http://[::1]/",
    "https://shop.example.com:8443/",
    "https%3A%2F%2Fevil.example",
]


def test_s4_1_t1_method_and_path(frontend):
    assert frontend.api.post(VISIT, BODY, format="json").status_code == 200
    for method in (frontend.api.get, frontend.api.put, frontend.api.patch):
        assert refusal(method(VISIT)) == (405, "method_not_allowed", None)
    assert refusal(frontend.api.post(f"{VISIT}/")) == (404, "not_found", None)


def test_s4_1_t2_origin_is_required_and_determines_the_brand(
    frontend, other_brand, link_url
):
    body = {**BODY, "visit_url": link_url}
    with nothing_written():
        frontend.api.defaults["HTTP_ORIGIN"] = OTHER
        other = frontend.api.post(VISIT, body, format="json")
        frontend.api.defaults["HTTP_ORIGIN"] = "https://unknown.example"
        unknown = frontend.api.post(VISIT, body, format="json")
        del frontend.api.defaults["HTTP_ORIGIN"]
        missing = frontend.api.post(VISIT, body, format="json")

    assert other.json() == {"data": {"redirect_url": f"{OTHER}/"}}
    assert refusal(unknown) == (403, "origin_not_registered", None)
    assert refusal(missing) == (400, "origin_required", None)


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"7", b"{", b""])
def test_s4_1_t3_request_body_is_a_json_object(frontend, body):
    with nothing_written():
        refused = frontend.api.generic(
            "POST", VISIT, body, content_type="application/json"
        )

    assert refused.status_code == 400


def test_s4_1_t4_success_body_is_a_json_object(frontend, link_url):
    """The example of the specification, compared whole."""
    plain = frontend.api.post(VISIT, BODY, format="json")
    linked = frontend.api.post(VISIT, {**BODY, "visit_url": link_url}, format="json")

    assert plain["Content-Type"] == linked["Content-Type"] == "application/json"
    assert plain.json() == {"data": {"redirect_url": f"{SHOP}/#"}}
    data = linked.json()["data"]
    cookie = data["referral_cookie"]
    assert linked.json() == {
        "data": {
            "redirect_url": f"{SHOP}/plans",
            "referral_cookie": cookie,
            "referral_cookie_max_age": 7_776_000,
        }
    }
    assert isinstance(cookie, str)


def test_s4_1_1a_redirect_on_a_link_with_aid_is_read(frontend):
    data = frontend.visit(f"{SHOP}/?aid=abc123&redirect={SHOP}/store")

    assert data == {"redirect_url": f"{SHOP}/store"}


@pytest.mark.parametrize(
    "target",
    [SHOP, f"{SHOP}/", f"{SHOP}/store?a=1&b=2#c", "https://help.example.org/faq"],
)
@pytest.mark.parametrize("page", ["/?aid=abc123&", "/store?", "/?ref=partner&"])
def test_s4_1_1b_value_of_redirect_is_returned(frontend, affiliate, page, target):
    data = frontend.visit(f"{SHOP}{page}redirect={quote(target, safe='')}")

    assert data["redirect_url"] == target


def test_s4_1_2_same_domain_and_added_domains_are_permitted(frontend, brand):
    page = f"{SHOP}/?redirect=https%3A%2F%2Fnew.example.io%2Fa"
    before = frontend.visit(page)["redirect_url"]
    BrandDomainFactory(brand=brand, host="new.example.io", is_client_area=False)
    after = frontend.visit(page)["redirect_url"]

    assert (before, after) == (WELCOME, "https://new.example.io/a")
    same = frontend.visit(f"{SHOP}/?redirect={SHOP}/a")["redirect_url"]
    assert same == f"{SHOP}/a"


def test_s4_1_3a_target_that_is_not_permitted_leads_to_the_default_url(frontend, brand):
    page = f"{SHOP}/?redirect=https://evil.example/"
    first = frontend.visit(page)["redirect_url"]
    brand.default_redirect_url = f"{SHOP}/start"
    brand.save()
    second = frontend.visit(page)["redirect_url"]

    assert (first, second) == (WELCOME, f"{SHOP}/start")


@pytest.mark.parametrize("target", EVIL)
def test_s4_1_3b_malicious_redirects_do_not_get_through(frontend, target):
    data = frontend.visit(f"{SHOP}/?redirect={quote(target, safe='')}")

    assert data == {"redirect_url": WELCOME}


def test_s4_1_4_client_handling_of_the_whole_answer(frontend, link_url):
    data = frontend.visit(link_url)

    assert set(data) == {
        "redirect_url",
        "referral_cookie",
        "referral_cookie_max_age",
    }
    assert (frontend.cookie, frontend.max_age) == (
        data["referral_cookie"],
        data["referral_cookie_max_age"],
    )


def test_s4_1_4_1_value_fits_a_first_party_cookie(frontend, link_url):
    value = frontend.visit(link_url)["referral_cookie"]

    assert cookie_octets(value)
    assert len("referral_cookie" + value) < 4096


@pytest.mark.parametrize("days", [1, 90, 400])
def test_s4_1_4_2_max_age_is_one_that_browsers_keep(frontend, brand, link_url, days):
    brand.cookie_lifetime_days = days
    brand.save()

    max_age = frontend.visit(link_url)["referral_cookie_max_age"]

    assert max_age == days * 86_400 <= 34_560_000


@pytest.mark.parametrize("landing", ["default_url", "stay"])
@pytest.mark.parametrize("rest", ["", "?redirect=/store", "?redirect=//evil.example"])
def test_s4_1_4_3_following_the_redirect_comes_to_rest(
    frontend, brand, link_url, landing, rest
):
    brand.landing = landing
    brand.save()
    first = frontend.visit(link_url + rest)["redirect_url"]

    second = frontend.visit(first)["redirect_url"]

    # With a fragment, a browser does not load the page again that it is on.
    assert second == f"{first}#"
    assert frontend.visit(second)["redirect_url"] == second


def test_s4_1_5_endpoint_may_be_called_on_every_page_load(frontend, link_url):
    frontend.visit(link_url)
    pages = [f"{SHOP}/", f"{SHOP}/plans", f"{SHOP}/checkout?step=2#pay", link_url]
    for page in pages * 3:
        assert frontend.visit(page)["referral_cookie"]

    assert Click.objects.filter(is_repeat=False).count() == 1
    assert Click.objects.count() == 4


def test_s5_1_origin_chooses_the_brand_and_its_settings(
    frontend, brand, other_brand, affiliate
):
    other_brand.landing = "stay"
    other_brand.save()
    AffiliateFactory(
        brand=other_brand, user=ClientFactory(brand=other_brand), code="partner"
    )
    other = Frontend(origin=OTHER)

    assert frontend.visit(f"{SHOP}/x?ref=partner")["redirect_url"] == WELCOME
    assert other.visit(f"{OTHER}/x?ref=partner")["redirect_url"] == f"{OTHER}/x"


EVIL = f"https://evil.example/{marker('visitor', 'redirect')}"


@pytest.mark.parametrize("target", ["", EVIL, "javascript:alert(1)"])
def test_s7_1_refused_redirect_does_not_fail_the_request(frontend, link_url, target):
    response = frontend.api.post(
        VISIT,
        {**BODY, "visit_url": f"{link_url}?redirect={quote(target, safe='')}"},
        format="json",
    )

    assert response.status_code == 200
    assert response.json()["data"]["redirect_url"] == WELCOME
    assert response.json()["data"]["referral_cookie"]


def test_s9_1a_paths_carry_the_prefix_and_no_version():
    for _, path in operations():
        assert path.startswith("/api/")
        assert not any(part[1:].isdecimal() for part in path.split("/")[2:] if part)
