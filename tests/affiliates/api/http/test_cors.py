"""Browsers may call the API from the client areas of the brand table, and no others."""

from __future__ import annotations

import json

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient
from rest_framework.test import APIClient

from tests.affiliates.api.calls import SHOP, VISIT, registration_body, visit, visit_body
from tests.database import nothing_written
from tests.factories.affiliates import BrandDomainFactory

pytestmark = pytest.mark.portable

CONVERT = "/api/orders/1/convert"
STRANGER = "https://evil.example"
ALLOW_ORIGIN = "Access-Control-Allow-Origin"
EXPOSE_HEADERS = "Access-Control-Expose-Headers"
JSON = "application/json"


def preflight(api, path, *, origin, method="POST", wanted="content-type"):
    return api.options(
        path,
        headers={
            "origin": origin,
            "access-control-request-method": method,
            "access-control-request-headers": wanted,
        },
    )


def mentions_origin(answer):
    return "origin" in answer.get("Vary", "").lower().replace(" ", "").split(",")


@pytest.mark.parametrize(
    ("_case", "path", "method", "wanted"),
    [
        ("visit", VISIT, "POST", "content-type"),
        ("register", "/api/clients/register", "POST", "content-type"),
        ("guest", "/api/clients/register/guest", "POST", "content-type"),
        (
            "complete",
            "/api/clients/1/complete_registration",
            "POST",
            "authorization,content-type",
        ),
        ("convert", CONVERT, "PATCH", "authorization,content-type"),
    ],
)
def test_preflight_of_a_client_area_is_answered(
    api, brand, _case, path, method, wanted
):
    with nothing_written():
        answer = preflight(api, path, origin=SHOP, method=method, wanted=wanted)

    assert answer.status_code == 200
    assert answer.content == b""
    assert answer[ALLOW_ORIGIN] == SHOP
    assert method in answer["Access-Control-Allow-Methods"].split(", ")
    allowed = set(answer["Access-Control-Allow-Headers"].split(", "))
    assert set(wanted.split(",")) <= allowed
    assert int(answer["Access-Control-Max-Age"]) > 0
    assert mentions_origin(answer)
    assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.parametrize(
    ("_case", "origin"),
    [
        ("stranger", STRANGER),
        ("null", "null"),
        ("parent", "https://example.com"),
        ("subdomain", "https://www.shop.example.com"),
        ("suffix", "https://shop.example.com.evil.example"),
        ("capitals", "https://SHOP.example.com"),
        ("slash", "https://shop.example.com/"),
        ("two", "https://shop.example.com, https://evil.example"),
        ("broken", "https://["),
    ],
)
def test_other_origins_are_never_echoed(api, brand, _case, origin):
    asked = preflight(api, VISIT, origin=origin)
    posted = visit(api, headers={"origin": origin})

    for answer in (asked, posted):
        assert ALLOW_ORIGIN not in answer
        assert "Access-Control-Allow-Methods" not in answer
        assert mentions_origin(answer)


def test_every_answer_to_a_client_area_may_be_read_by_it(api, brand):
    fine = visit(api)
    refused = visit(api, "not a url")
    unknown = api.post("/api/unknown", registration_body(), format="json")
    wrong_type = api.generic("POST", VISIT, b"{}", content_type="text/plain")

    assert [fine.status_code, refused.status_code] == [200, 400]
    for answer in (fine, refused, unknown, wrong_type):
        assert answer[ALLOW_ORIGIN] == SHOP
        assert mentions_origin(answer)
        assert "Access-Control-Allow-Credentials" not in answer


def test_each_client_area_is_echoed_as_itself(api, brand):
    BrandDomainFactory(brand=brand, host="localhost:8000")

    answer = preflight(api, VISIT, origin="http://localhost:8000")

    assert answer[ALLOW_ORIGIN] == "http://localhost:8000"


@pytest.mark.parametrize(
    ("_case", "flags"),
    [("redirect target only", {"is_client_area": False})],
)
def test_domain_that_is_no_client_area_is_not_echoed(api, brand, _case, flags):
    BrandDomainFactory(brand=brand, host="blog.example.com", **flags)

    assert ALLOW_ORIGIN not in preflight(api, VISIT, origin="https://blog.example.com")


def test_inactive_brand_is_not_echoed(api, brand):
    brand.is_active = False
    brand.save()

    assert ALLOW_ORIGIN not in preflight(api, VISIT, origin=SHOP)


def test_pages_outside_the_api_have_no_cors(api, brand):
    assert ALLOW_ORIGIN not in api.get("/admin/login/", headers={"origin": SHOP})


def test_a_client_area_may_read_when_to_try_again(api, brand, settings):
    settings.AFFILIATES_THROTTLE_RATES = {"visit": "1/day"}
    api.defaults["REMOTE_ADDR"] = "203.0.113.7"
    first, second = visit(api), visit(api)

    assert (first.status_code, second.status_code) == (200, 429)
    assert EXPOSE_HEADERS not in first
    assert second[EXPOSE_HEADERS] == "Retry-After"
    assert int(second["Retry-After"]) > 0


def test_page_may_send_the_headers_that_it_asks_for(api, brand):
    asked = "Sentry-Trace,baggage, traceparent, x-requested-with,content-type,bad name"

    answer = api.options(
        VISIT,
        headers={
            "origin": SHOP,
            "access-control-request-method": "POST",
            "access-control-request-headers": asked,
        },
    )

    assert answer["Access-Control-Allow-Headers"] == (
        "authorization, content-type, idempotency-key, visit-id, "
        "sentry-trace, baggage, traceparent, x-requested-with"
    )
    assert "Access-Control-Allow-Credentials" not in answer


def test_nobody_keeps_an_answer(api, brand):
    fine = visit(api)
    refused = api.patch(CONVERT, {}, format="json")

    assert [fine.status_code, refused.status_code] == [200, 401]
    assert {fine["Cache-Control"], refused["Cache-Control"]} == {"no-store"}


# A host with a CORS middleware of its own.

OWN = "affiliates.extending.middleware.BrandCorsMiddleware"
LIBRARY = "corsheaders.middleware.CorsMiddleware"
HOSTS_ORIGIN = "https://app.example.org"
HOSTS_PAGE = "/admin/jsi18n/"


@pytest.fixture
def host_cors(settings):
    """All that the library can be told to allow."""
    settings.CORS_ALLOWED_ORIGINS = [HOSTS_ORIGIN]
    settings.CORS_ALLOW_CREDENTIALS = True
    settings.CORS_ALLOW_METHODS = ["GET"]
    settings.CORS_EXPOSE_HEADERS = ["X-Total"]
    settings.AFFILIATES_CORS_PATHS = []
    others = [one for one in settings.MIDDLEWARE if one != OWN]
    settings.MIDDLEWARE = [OWN, LIBRARY, *others]
    return others


def cors_of(answer):
    return {
        name.lower(): value
        for name, value in answer.headers.items()
        if name.lower().startswith("access-control-")
    }


def test_the_brand_table_decides_on_our_paths_alone(brand, host_cors):
    api = APIClient()
    to_area = {"access-control-allow-origin": SHOP}

    assert cors_of(visit(api, headers={"origin": SHOP})) == to_area
    assert cors_of(visit(api, headers={"origin": HOSTS_ORIGIN})) == {}
    assert cors_of(preflight(api, CONVERT, origin=HOSTS_ORIGIN, method="PATCH")) == {}
    assert cors_of(preflight(api, CONVERT, origin=SHOP, method="PATCH")) == to_area | {
        "access-control-allow-methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS",
        "access-control-allow-headers": "authorization, content-type, "
        "idempotency-key, visit-id",
        "access-control-max-age": "7200",
    }


@pytest.mark.parametrize("origin", [HOSTS_ORIGIN, SHOP])
@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
def test_the_hosts_paths_are_answered_as_without_us(
    brand, host_cors, settings, method, origin
):
    def ask():
        answer = APIClient().generic(
            method,
            HOSTS_PAGE,
            headers={"origin": origin, "access-control-request-method": "GET"},
        )
        return answer.status_code, dict(answer.headers)

    with_us = ask()
    settings.MIDDLEWARE = [LIBRARY, *host_cors]

    assert with_us == ask()
    assert (ALLOW_ORIGIN.lower() in with_us[1]) is (origin == HOSTS_ORIGIN)


def test_the_table_decides_on_paths_of_the_host_that_are_named(
    brand, host_cors, settings
):
    settings.AFFILIATES_CORS_PATHS = ["/admin/"]

    answers = [
        APIClient().get(HOSTS_PAGE, headers={"origin": origin})
        for origin in (SHOP, HOSTS_ORIGIN)
    ]

    assert [cors_of(answer) for answer in answers] == [
        {"access-control-allow-origin": SHOP},
        {},
    ]


@async_to_sync
async def ask_async(*asked, headers):
    return await AsyncClient().generic(*asked, headers=headers)


@pytest.mark.parametrize("middleware", [[], [OWN], [OWN, LIBRARY]])
def test_an_asynchronous_server_gets_the_same_answers(brand, settings, middleware):
    settings.AFFILIATES_CORS_PATHS = []
    others = [one for one in settings.MIDDLEWARE if one != OWN]
    settings.MIDDLEWARE = [*middleware, *others]
    origin = {"origin": SHOP}

    def both(method, path, body="", **headers):
        asked = (method, path, body, JSON)
        answers = [
            APIClient().generic(*asked, headers=headers),
            ask_async(*asked, headers=headers),
        ]
        return [(one.status_code, one.content, dict(one.headers)) for one in answers]

    for asked in (
        both("POST", VISIT, json.dumps(visit_body()), **origin),
        both("POST", VISIT, "{}", **origin),
        both("POST", "/api/unknown", **origin),
        both("PATCH", CONVERT, "{}", **origin),
        both(
            "OPTIONS", CONVERT, **origin, **{"access-control-request-method": "PATCH"}
        ),
        both("GET", HOSTS_PAGE, **origin),
    ):
        assert asked[0] == asked[1]
