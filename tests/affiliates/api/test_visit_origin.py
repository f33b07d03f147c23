"""The Origin header names the brand."""

from __future__ import annotations

import pytest

from tests.affiliates.api.calls import SHOP, refusal, visit, visited
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import BrandDomainFactory

REQUIRED = (400, "origin_required", None)
NOT_REGISTERED = (403, "origin_not_registered", None)


def test_origin_is_required(outsider, link):
    with nothing_written():
        answer = visit(outsider, f"{SHOP}/aff/{link.hash}")

    assert refusal(answer) == REQUIRED


@each(
    ("_case", "origin"),
    [
        ("empty", ""),
        ("null", "null"),
        ("with a slash", "https://shop.example.com/"),
        ("with a path", "https://shop.example.com/plans"),
        ("with a query", "https://shop.example.com?a=1"),
        ("upper case", "https://SHOP.example.com"),
        ("scheme in capitals", "HTTPS://shop.example.com"),
        ("with the default port", "https://shop.example.com:443"),
        ("with a user", "https://me@shop.example.com"),
        ("without scheme, unknown", "area.example.com"),
        ("two values", "https://shop.example.com, https://shop.example.com"),
        ("two values, spaced", "https://shop.example.com https://evil.example"),
        ("surrounded by spaces", " https://shop.example.com "),
        ("javascript", "javascript://shop.example.com"),
        ("extension", "chrome-extension://abcdefghijklmnop"),
        ("file", "file://"),
        ("wildcard", "*"),
        ("trailing tab", "https://shop.example.com\t"),
        ("backslash", "https:\\\\shop.example.com"),
        ("very long", "https://" + "a" * 9000 + ".com"),
        ("not ASCII", "https://sh\u00f6p.example.com"),
    ],
)
def test_origin_must_be_written_as_browsers_write_it(api, link, origin):
    with nothing_written():
        answer = visit(api, f"{SHOP}/aff/{link.hash}", headers={"origin": origin})

    assert refusal(answer) == REQUIRED


@each(
    ("_case", "origin"),
    [
        ("unknown host", "https://evil.example"),
        ("wildcard host", "https://*.example.com"),
        ("parent domain", "https://example.com"),
        ("subdomain", "https://www.shop.example.com"),
        ("suffix", "https://shop.example.com.evil.example"),
        ("prefix", "https://evilshop.example.com"),
        ("trailing dot", "https://shop.example.com."),
        ("IPv6", "http://[::1]"),
    ],
)
def test_origin_must_be_registered(api, link, origin):
    with nothing_written():
        answer = visit(api, f"{SHOP}/aff/{link.hash}", headers={"origin": origin})

    assert refusal(answer) == NOT_REGISTERED


def test_origin_without_its_scheme_is_told_so(api, link):
    with nothing_written():
        answer = visit(api, f"{SHOP}/", headers={"origin": "shop.example.com"})

    assert refusal(answer) == (400, "origin_without_scheme", None)
    assert "https://shop.example.com" in answer.json()["errors"][0]["detail"]


def test_domain_without_a_port_is_the_host_on_any_port(api, brand, link, other_brand):
    BrandDomainFactory(brand=other_brand, host="shop.example.com:9000")
    site = "https://shop.example.com:8443"

    page = visit(api, f"{site}/plans", headers={"origin": site}).json()["data"]
    taken = visit(
        api,
        f"{SHOP}/aff/{link.hash}",
        headers={"origin": "http://shop.example.com:9000"},
    ).json()["data"]
    elsewhere = visited(api, f"{SHOP}/?redirect={site}/plans")

    assert page == {"redirect_url": f"{site}/plans#"}
    assert "referral_cookie" not in taken
    # A redirect's permission stays with the port.
    assert elsewhere == {"redirect_url": f"{SHOP}/"}


def test_inactive_brand_has_no_origin(api, brand, link):
    brand.is_active = False
    brand.save()

    with nothing_written():
        answer = visit(api, f"{SHOP}/aff/{link.hash}")

    assert refusal(answer) == NOT_REGISTERED


def test_redirect_target_is_no_client_area(api, brand, link):
    BrandDomainFactory(brand=brand, host="blog.example.com", is_client_area=False)

    with nothing_written():
        answer = visit(
            api,
            f"{SHOP}/aff/{link.hash}",
            headers={"origin": "https://blog.example.com"},
        )

    assert refusal(answer) == NOT_REGISTERED


def test_included_subdomain_is_no_client_area(api, brand, link):
    BrandDomainFactory(brand=brand, host="example.org", include_subdomains=True)

    with nothing_written():
        answer = visit(
            api,
            f"{SHOP}/aff/{link.hash}",
            headers={"origin": "https://www.example.org"},
        )

    assert refusal(answer) == NOT_REGISTERED


@pytest.mark.parametrize(
    ("_case", "registered", "origin"),
    [
        ("https", "area.example.org", "https://area.example.org"),
        ("http", "area.example.org", "http://area.example.org"),
        ("development port", "localhost:8000", "http://localhost:8000"),
        ("address", "127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("IPv6 address", "[::1]:8000", "http://[::1]:8000"),
        ("international", "xn--mnchen-3ya.de", "https://xn--mnchen-3ya.de"),
    ],
)
def test_every_client_area_of_the_brand_speaks_for_it(
    api, brand, link, _case, registered, origin
):
    BrandDomainFactory(brand=brand, host=registered)

    data = visited(api, f"{origin}/aff/{link.hash}", headers={"origin": origin})

    assert data["redirect_url"] == "https://shop.example.com/plans"
    assert "referral_cookie" in data


def test_origin_chooses_the_brand_not_the_visited_page(api, link, other_brand):
    with nothing_written():
        data = visited(
            api,
            f"{SHOP}/aff/{link.hash}",
            headers={"origin": "https://other.example.net"},
        )

    assert data == {"redirect_url": "https://other.example.net/"}


def test_removed_domain_stops_at_once(api, brand, link):
    assert visit(api).status_code == 200
    brand.domains.all().delete()

    assert refusal(visit(api)) == NOT_REGISTERED
