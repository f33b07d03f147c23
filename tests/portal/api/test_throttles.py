from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import time_machine
from django.conf import settings as django_settings
from rest_framework.settings import api_settings
from rest_framework.test import APIClient, APIRequestFactory
from rest_framework.views import APIView

from affiliates.api.throttling import services
from affiliates.api.throttling.breaker import Breaker
from portal.api import throttles
from portal.api.throttles import client_network
from tests.factories.portal import ClientFactory, CouponFactory, OrderFactory

STRANGER = "203.0.113.7"


@pytest.fixture
def low_rates(monkeypatch):
    """Two a minute, at the beginning of one."""
    monkeypatch.setattr(
        api_settings,
        "DEFAULT_THROTTLE_RATES",
        {"login": "2/minute", "basket": "2/min", "coupon": "2/min"},
    )
    with time_machine.travel(datetime(2026, 3, 1, 12, tzinfo=UTC), tick=False) as clock:
        yield clock


@pytest.mark.parametrize(
    ("_case", "address", "network"),
    [
        ("IPv4", "203.0.113.7", "203.0.113.7"),
        ("IPv6 by its /64", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("IPv4 on an IPv6 socket", "::ffff:203.0.113.7", "203.0.113.7"),
        ("loopback", "127.0.0.1", None),
        ("loopback on an IPv6 socket", "::ffff:127.0.0.1", None),
        ("IPv6 loopback", "::1", None),
        ("no address", "", "unknown"),
        ("garbage", "x" * 5000, "unknown"),
    ],
)
def test_one_client_is(_case, address, network):
    assert client_network(address) == network


def post_login(address: str, **headers: str) -> int:
    body = {"email": "nobody@example.com", "password": "wrong-password"}
    response = APIClient(REMOTE_ADDR=address).post(
        "/api/clients/login", body, format="json", headers=headers
    )
    return response.status_code


@pytest.mark.usefixtures("brand", "low_rates")
def test_too_many_logins_are_refused_for_a_while():
    body = {"email": "nobody@example.com", "password": "wrong-password"}
    api = APIClient(REMOTE_ADDR=STRANGER)
    for _ in range(2):
        api.post("/api/clients/login", body, format="json")

    response = api.post("/api/clients/login", body, format="json")

    assert response.status_code == 429
    assert response.json()["errors"][0]["code"] == "throttled"
    assert 1 <= int(response["Retry-After"]) <= 60


@pytest.mark.usefixtures("low_rates")
def test_parallel_requests_do_not_pass_the_limit():
    def ask(_: int) -> bool:
        request = APIRequestFactory(REMOTE_ADDR=STRANGER).post("/api/clients/login")
        return throttles.LoginThrottle().allow_request(request, APIView())

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(80)))

    assert answers.count(True) == 2


@pytest.mark.usefixtures("brand")
def test_the_next_minute_is_another(low_rates):
    assert [post_login(STRANGER) for _ in range(3)] == [400, 400, 429]

    low_rates.shift(60)

    assert post_login(STRANGER) == 400


@pytest.mark.usefixtures("brand", "low_rates")
def test_a_process_counts_for_itself_while_the_cache_is_away(monkeypatch):
    def fail(*_, **__):
        raise ConnectionError("The cache is away.")

    away = SimpleNamespace(add=fail, incr=fail)
    monkeypatch.setattr(services, "shared_cache", lambda: away)
    monkeypatch.setattr(services, "cache_breaker", Breaker())

    assert [post_login(STRANGER) for _ in range(4)] == [400, 400, 429, 429]
    assert services.cache_breaker.failures == 1


@pytest.mark.usefixtures("brand", "low_rates")
def test_loopback_is_not_limited():
    assert [post_login("127.0.0.1") for _ in range(5)] == [400] * 5


@pytest.mark.usefixtures("brand", "low_rates")
def test_a_forged_forwarding_header_changes_nothing():
    forged = [
        post_login(STRANGER, **{"X-Forwarded-For": f"198.51.100.{number}"})
        for number in range(3)
    ]

    assert forged == [400, 400, 429]


@pytest.mark.usefixtures("low_rates")
def test_baskets_are_limited_too(brand, speak_as):
    api = speak_as(ClientFactory(brand=brand))

    statuses = [
        api.post("/api/orders", {}, format="json", REMOTE_ADDR=STRANGER).status_code
        for _ in range(3)
    ]

    assert statuses == [201, 201, 429]


@pytest.mark.usefixtures("low_rates")
def test_codes_of_coupons_are_guessed_as_slowly_as_passwords(brand, speak_as):
    coupon, order = CouponFactory(brand=brand), OrderFactory(client__brand=brand)
    api = speak_as(order.client)

    statuses = [
        api.post(
            f"/api/orders/{order.pk}/coupon",
            {"code": code},
            format="json",
            REMOTE_ADDR=STRANGER,
        ).status_code
        for code in ("WRONG", "WRONG2", coupon.code)
    ]

    order.refresh_from_db()
    assert statuses == [400, 400, 429]
    assert order.coupon is None


def test_rates_are_set():
    rates = django_settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    assert rates == {
        "login": "20/minute",
        "basket": "240/minute",
        "coupon": "20/minute",
    }
