"""Which hosts answer staff's pages, and what the admin's hosts answer besides."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db

DESK, SHOP, API = "desk.example.com", "shop.example.com", "api.example.com"
STAFFS = {
    "/admin": 302,
    "/admin/": 302,
    "/admin/login/": 200,
    "/admin/portal/user/": 302,
    "/admin/nothing": 302,
}
SHOPS = ("/", "/plans", "/login", "/account", "/affiliate/program", "/nothing")


def status(path, host):
    return Client(headers={"host": host}).get(path).status_code


@pytest.fixture(autouse=True)
def hosts(settings):
    settings.ALLOWED_HOSTS = [".example.com"]
    settings.STOREFRONT_ORIGIN = f"http://{SHOP}"
    settings.ADMIN_HOSTS = [DESK]
    return BrandFactory(client_area=SHOP)


@pytest.mark.parametrize("path", STAFFS)
def test_staffs_pages_are_on_the_admins_hosts_alone(path):
    assert status(path, DESK) == STAFFS[path]
    assert {status(path, SHOP), status(path, API)} == {404}


@pytest.mark.parametrize("path", SHOPS)
def test_shop_and_area_are_not_on_them(path):
    assert status(path, DESK) == 404


def test_shop_and_area_stay_where_they_are():
    assert [status(path, SHOP) for path in SHOPS] == [200, 200, 200, 302, 200, 404]


def test_the_admins_host_may_be_a_client_area_too(settings):
    settings.ADMIN_HOSTS = [SHOP]

    assert [status(path, SHOP) for path in ("/admin/login/", "/plans")] == [200, 200]
    assert status("/admin/login/", DESK) == 404


@pytest.mark.parametrize("path", ["/api/docs", "/health/live"])
def test_api_and_probes_are_on_every_host(path):
    assert [status(path, host) for host in (DESK, SHOP, API)] == [200, 200, 200]


def test_without_the_setting_every_host_answers(settings):
    settings.ADMIN_HOSTS = []

    assert {status("/admin/login/", host) for host in (DESK, SHOP, API)} == {200}
    assert status("/plans", SHOP) == 200


def test_a_refusal_has_a_policy_too():
    answer = Client(headers={"host": SHOP}).get("/admin/")

    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
