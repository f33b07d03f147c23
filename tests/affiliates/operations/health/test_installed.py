"""What cannot be used, or is missing beside us, is named before the first request."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.apps import apps

from affiliates.api.http.cors import BrandCorsMiddleware
from affiliates.operations.health import installed
from affiliates.operations.health.examine import check_settings
from tests.factories.payouts import PayoutTermsFactory

OWN_CORS = "affiliates.extending.middleware.BrandCorsMiddleware"
ARRIVALS = "affiliates.extending.middleware.ReferralCookieMiddleware"
CACHE = "django.middleware.cache.FetchFromCacheMiddleware"
LIBRARY_CORS = "corsheaders.middleware.CorsMiddleware"


class OwnCorsMiddleware(BrandCorsMiddleware):
    pass


def found(settings, **changes) -> list[str]:
    for name, value in changes.items():
        setattr(settings, name, value)
    return [message.id for message in check_settings(None)]


def test_settings_of_the_tests_are_sound(settings):
    assert found(settings) == []


def test_throttle_may_be_switched_off(settings):
    assert found(settings, AFFILIATES_THROTTLE_RATES={"visit": ""}) == []


@pytest.mark.parametrize(
    ("_case", "names", "code"),
    [
        ("all", ["unfold", "django.contrib.admin"], []),
        ("no admin", ["affiliates"], []),
        ("no theme", ["django.contrib.admin"], []),
        (
            "theme after the admin",
            ["django.contrib.admin", "unfold"],
            ["affiliates.E009"],
        ),
    ],
)
def test_app_that_is_needed_beside_us_is_named(_case, names, code, monkeypatch):
    # Installing others for a moment would give the admin another site for good.
    configs = [
        SimpleNamespace(name=name, label=name, get_models=list)
        for name in ("affiliates", *names)
    ]
    monkeypatch.setattr(apps, "get_app_configs", lambda: configs)

    messages = check_settings(None)

    assert [message.id for message in messages] == code
    assert all('"unfold", "django.contrib.admin"' in one.hint for one in messages)


@pytest.mark.parametrize(
    ("_case", "middleware", "code"),
    [
        ("none: the views answer", [], []),
        ("ours before the library's", [OWN_CORS, LIBRARY_CORS], []),
        (
            "made from ours before the library's",
            [f"{__name__}.OwnCorsMiddleware", LIBRARY_CORS],
            [],
        ),
        ("a missing module", ["no.such.Middleware"], []),
        ("the library's alone", [LIBRARY_CORS], ["affiliates.E010"]),
        ("the library's first", [LIBRARY_CORS, OWN_CORS], ["affiliates.E010"]),
    ],
)
def test_another_cors_middleware_comes_after_ours(_case, middleware, code, settings):
    settings.MIDDLEWARE, settings.AFFILIATES_CORS_PATHS = middleware, []

    messages = check_settings(None)

    assert [message.id for message in messages] == code
    assert all(OWN_CORS in one.hint for one in messages)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("_case", "is_there", "terms", "count"),
    [
        ("not installed", False, {}, 1),
        ("installed", True, {}, 0),
        ("no account to pay from", False, {"debtor_iban": ""}, 0),
        ("no bank transfers", False, {"kinds": ["paypal"]}, 0),
    ],
)
def test_bank_transfers_whose_files_cannot_be_written_are_named(
    _case, is_there, terms, count, brand, now, monkeypatch
):
    there = {"sepaxml": object()} if is_there else {}
    monkeypatch.setattr(installed, "find_spec", there.get)
    iban = {"debtor_iban": "DE89370400440532013000"}
    PayoutTermsFactory(brand=brand, **iban | terms)

    findings = list(installed.bank_files(now))

    assert [(finding.id, finding.msg, finding.hint) for finding in findings] == [
        (
            "affiliates.D030",
            f"The brand {brand} pays by bank transfer, and no SEPA file can be written.",
            "Run pip install 'affiliates[payout-files]'.",
        )
    ] * count


@pytest.mark.parametrize(
    ("_case", "middleware"),
    [
        ("behind the arrivals", [ARRIVALS, CACHE]),
        ("without arrivals", [CACHE]),
    ],
)
def test_a_cache_that_eats_no_arrival_is_not_named(_case, middleware, settings):
    assert found(settings, MIDDLEWARE=middleware, AFFILIATES_CORS_PATHS=[]) == []
