"""What cannot be used, or is missing beside us, is named before the first request."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.apps import apps

from affiliates.api.http.cors import BrandCorsMiddleware
from affiliates.api.http.errors import exception_handler
from affiliates.api.http.parsers import JSONParser
from affiliates.checks.registered import check_settings

API = {
    "DEFAULT_PARSER_CLASSES": ["affiliates.api.http.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["affiliates.api.http.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "affiliates.api.http.negotiation.JSONOnly",
    "DEFAULT_SCHEMA_CLASS": "affiliates.api.http.schema.AutoSchema",
    "EXCEPTION_HANDLER": "affiliates.api.http.errors.exception_handler",
}


class OwnParser(JSONParser):
    pass


class OwnCorsMiddleware(BrandCorsMiddleware):
    pass


def own_handler(exc, context):
    return exception_handler(exc, context)


def found(settings, **changes) -> list[str]:
    for name, value in changes.items():
        setattr(settings, name, value)
    return [message.id for message in check_settings(None)]


def test_settings_of_the_tests_are_sound(settings):
    assert found(settings) == []


def test_throttle_may_be_switched_off(settings):
    assert found(settings, AFFILIATES_THROTTLE_RATES={"visit": ""}) == []


def hints(messages) -> str:
    return " ".join(message.hint for message in messages)


@pytest.mark.parametrize(
    ("_case", "names", "code"),
    [
        ("all", ["unfold", "django.contrib.admin", "drf_spectacular"], []),
        ("no admin", ["drf_spectacular", "affiliates"], []),
        ("no theme", ["django.contrib.admin", "drf_spectacular"], ["affiliates.E009"]),
        (
            "theme after the admin",
            ["django.contrib.admin", "unfold", "drf_spectacular"],
            ["affiliates.E009"],
        ),
        ("no API pages", ["unfold", "django.contrib.admin"], ["affiliates.E009"]),
    ],
)
def test_app_that_is_needed_beside_us_is_named(_case, names, code, monkeypatch):
    # Installing others for a moment would give the admin another site for good.
    configs = [SimpleNamespace(name=name) for name in names]
    monkeypatch.setattr(apps, "get_app_configs", lambda: configs)

    messages = check_settings(None)

    assert [message.id for message in messages] == code
    assert all('"unfold", "django.contrib.admin"' in one.hint for one in messages)


@pytest.mark.parametrize(
    ("_case", "middleware", "code"),
    [
        ("ours", ["affiliates.api.http.cors.BrandCorsMiddleware"], []),
        ("made from ours", [f"{__name__}.OwnCorsMiddleware"], []),
        ("the library's", ["corsheaders.middleware.CorsMiddleware"], []),
        ("a function", [f"{__name__}.own_handler"], ["affiliates.E010"]),
        ("a missing module", ["no.such.Middleware"], ["affiliates.E010"]),
        ("none", [], ["affiliates.E010"]),
    ],
)
def test_middleware_that_answers_cors_is_asked_for(_case, middleware, code, settings):
    settings.MIDDLEWARE = middleware

    messages = check_settings(None)

    assert [message.id for message in messages] == code
    assert all(
        "affiliates.api.http.cors.BrandCorsMiddleware" in one.hint for one in messages
    )


@pytest.mark.parametrize(
    ("_case", "changes", "code"),
    [
        ("as documented", {}, []),
        ("a handler itself", {"EXCEPTION_HANDLER": exception_handler}, []),
        ("a parser itself", {"DEFAULT_PARSER_CLASSES": (OwnParser,)}, []),
        ("the default handler", {"EXCEPTION_HANDLER": None}, ["affiliates.E011"]),
        ("another handler", {"EXCEPTION_HANDLER": own_handler}, ["affiliates.E011"]),
        ("no parser", {"DEFAULT_PARSER_CLASSES": None}, ["affiliates.W002"]),
        (
            "our parser second, where it is never asked",
            {
                "DEFAULT_PARSER_CLASSES": [
                    "rest_framework.parsers.JSONParser",
                    "affiliates.api.http.parsers.JSONParser",
                ]
            },
            ["affiliates.W002"],
        ),
        ("no renderer", {"DEFAULT_RENDERER_CLASSES": []}, ["affiliates.W002"]),
        (
            "another negotiation",
            {"DEFAULT_CONTENT_NEGOTIATION_CLASS": "no.such.Thing"},
            ["affiliates.W002"],
        ),
        ("no schema", {"DEFAULT_SCHEMA_CLASS": None}, ["affiliates.W002"]),
    ],
)
def test_entry_of_the_rest_framework_is_asked_for(_case, changes, code, settings):
    settings.REST_FRAMEWORK = {**API, **changes}

    messages = check_settings(None)

    assert [message.id for message in messages] == code
    assert all(f'"{name}"' in hints(messages) for name in changes if code)


def test_rest_framework_left_as_it_comes_is_told_every_entry(settings):
    settings.REST_FRAMEWORK = {}

    messages = check_settings(None)

    assert [message.id for message in messages] == [
        "affiliates.E011",
        "affiliates.W002",
    ]
    assert all(f'"{name}"' in hints(messages) for name in API)
