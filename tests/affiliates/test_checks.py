"""Every setting that cannot be used is named before the first request."""

from __future__ import annotations

import pytest

from affiliates.checks import check_settings


def found(settings, **changes) -> list[str]:
    for name, value in changes.items():
        setattr(settings, name, value)
    return [message.id for message in check_settings(None)]


def test_settings_of_the_tests_are_sound(settings):
    assert found(settings) == []


@pytest.mark.parametrize(
    ("_case", "changes", "code"),
    [
        ("no adapter", {"AFFILIATES_ADAPTER": ""}, "affiliates.E001"),
        ("missing module", {"AFFILIATES_ADAPTER": "no.such.Thing"}, "affiliates.E001"),
        (
            "not an adapter",
            {"AFFILIATES_ADAPTER": "decimal.Decimal"},
            "affiliates.E001",
        ),
        (
            "unfinished adapter",
            {"AFFILIATES_ADAPTER": "affiliates.adapter.HostAdapter"},
            "affiliates.E001",
        ),
        ("no keys", {"AFFILIATES_COOKIE_KEYS": ""}, "affiliates.E002"),
        ("short key", {"AFFILIATES_COOKIE_KEYS": "1:AAAA"}, "affiliates.E002"),
        (
            "unknown endpoint",
            {"AFFILIATES_SERIALIZERS": {"login": "x.Y"}},
            "affiliates.E003",
        ),
        (
            "missing serializer",
            {"AFFILIATES_SERIALIZERS": {"register": "no.such.Thing"}},
            "affiliates.E003",
        ),
        (
            "unknown throttle",
            {"AFFILIATES_THROTTLE_RATES": {"visits": "1/minute"}},
            "affiliates.E004",
        ),
        (
            "unreadable rate",
            {"AFFILIATES_THROTTLE_RATES": {"visit": "many"}},
            "affiliates.E004",
        ),
        (
            "refresh too slow",
            {"AFFILIATES_CONFIG_REFRESH_SECONDS": 6},
            "affiliates.E005",
        ),
        (
            "lease shorter than a conversation",
            {"AFFILIATES_DELIVERY_LEASE_SECONDS": 44},
            "affiliates.W001",
        ),
        (
            "lease that never ends",
            {"AFFILIATES_DELIVERY_LEASE_SECONDS": float("nan")},
            "affiliates.W001",
        ),
        ("negative proxies", {"AFFILIATES_TRUSTED_PROXIES": -1}, "affiliates.E005"),
        ("unknown writer", {"AFFILIATES_CLICK_WRITER": "fast"}, "affiliates.E006"),
        ("short secret key", {"AFFILIATES_SECRET_KEYS": "1:AAAA"}, "affiliates.E007"),
        (
            "allowed host without a port",
            {"AFFILIATES_TRACKING_ALLOWED_HOSTS": ["127.0.0.1"]},
            "affiliates.E008",
        ),
        (
            "allowed host as a URL",
            {"AFFILIATES_TRACKING_ALLOWED_HOSTS": ["http://127.0.0.1:8090"]},
            "affiliates.E008",
        ),
    ],
)
def test_unusable_setting_is_named(_case, changes, code, settings):
    assert found(settings, **changes) == [code]


def test_throttle_may_be_switched_off(settings):
    assert found(settings, AFFILIATES_THROTTLE_RATES={"visit": ""}) == []
