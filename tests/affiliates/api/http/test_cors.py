"""Browsers may call the API from the client areas of the brand table, and no others."""

from __future__ import annotations

import pytest

from tests.affiliates.api.calls import SHOP, VISIT, registration_body, visit
from tests.database import nothing_written
from tests.factories.affiliates import BrandDomainFactory

CONVERT = "/api/orders/1/convert"
STRANGER = "https://evil.example"
ALLOW_ORIGIN = "Access-Control-Allow-Origin"


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
        ("other port", "https://shop.example.com:8443"),
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
