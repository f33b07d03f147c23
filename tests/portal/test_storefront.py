from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

SHOP = "shop.localhost:8000"
HELP = "docs.shop.localhost:8000"
SERVICE = "api.localhost:8000"
LINK_HASH = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("host", "heading"),
    [
        (SHOP, b"Hosting that lets you sleep"),
        ("SHOP.localhost:8000", b"Hosting that lets you sleep"),
        (HELP, b"How can we help?"),
        (SERVICE, b"Affiliate tracking"),
        ("127.0.0.1:8000", b"Affiliate tracking"),
    ],
)
def test_front_page_is_that_of_the_host(client, host, heading):
    answer = client.get("/", headers={"host": host})

    assert answer.status_code == 200
    assert heading in answer.content


def test_service_names_the_demos_affiliate_link(client, settings):
    settings.DEMO_GATEWAY = True
    answer = client.get("/", headers={"host": SERVICE})
    assert b"http://shop.localhost:8000/aff/d3300" in answer.content

    settings.DEMO_GATEWAY = False
    answer = client.get("/", headers={"host": SERVICE})
    assert b"/aff/" not in answer.content


@pytest.mark.parametrize("host", ["my.example.com", "My.Example.com:80"])
def test_configured_origin_is_a_storefront_too(host, client, settings):
    settings.ALLOWED_HOSTS = ["my.example.com"]
    settings.STOREFRONT_ORIGIN = "https://my.example.com"

    answer = client.get("/basket", headers={"host": host})

    assert answer.status_code == 200
    assert b'data-api-base="http://my.example.com"' in answer.content


@pytest.mark.parametrize(
    "path", ["plans", "login", "register", "basket", "checkout", "pay"]
)
def test_shop_page_names_its_api_and_may_call_nothing_else(client, path):
    answer = client.get(f"/{path}", headers={"host": SHOP})

    assert b'data-api-base="http://api.localhost:8000"' in answer.content
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'self';" in policy
    assert "connect-src 'self' http://api.localhost:8000;" in policy


@pytest.mark.parametrize(
    "path",
    [
        f"/aff/{LINK_HASH}",
        f"/aff/{LINK_HASH.upper()}/",
        "/aff/summer",
        "/AFF//Summer).",
        f"/de/aff/{LINK_HASH}%E2%80%8B",
    ],
)
def test_affiliate_link_opens_the_waiting_page(client, path):
    answer = client.get(path, headers={"host": SHOP})

    assert b"One moment" in answer.content
    assert b"affiliates/referral.js" in answer.content


@pytest.mark.parametrize("path", ["/nothing", "/aff/123", "/basket/"])
def test_unknown_address_of_the_shop_is_a_page(client, path):
    answer = client.get(path, headers={"host": SHOP})

    assert answer.status_code == 404
    assert b"This page does not exist" in answer.content


@pytest.mark.parametrize("path", ["/basket", "/nothing", f"/aff/{LINK_HASH}"])
def test_service_host_has_no_shop_pages(client, path):
    answer = client.get(path, headers={"host": SERVICE})

    assert answer.status_code == 404
    assert b"Demo Hosting" not in answer.content


def test_unknown_api_path_on_the_shop_host_is_json(client):
    answer = client.get("/api/nothing", headers={"host": SHOP})

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/json"


def test_pages_answer_reading_only(client):
    assert client.post("/basket", headers={"host": SHOP}).status_code == 405


@pytest.fixture
def client():
    """A browser; the portal's tests give this name to a person."""
    return Client()
