"""Whatever is asked under /api, the answer is JSON."""

from __future__ import annotations

import pytest

from tests.affiliates.api.calls import (
    GUEST,
    REGISTER,
    SHOP,
    VISIT,
    complete_url,
    convert_url,
    refusal,
    registration_body,
    visit_body,
)
from tests.cases import each
from tests.database import nothing_written

pytestmark = pytest.mark.portable

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"]
JSON = "application/json"


@each("path", [VISIT, REGISTER, GUEST])
@each("method", [method for method in METHODS if method != "POST"])
def test_other_methods_are_refused(api, brand, path, method):
    with nothing_written():
        answer = api.generic(method, path, b"{}", content_type=JSON)

    assert refusal(answer) == (405, "method_not_allowed", None)
    assert answer["Allow"] == "POST, OPTIONS"


@pytest.mark.parametrize(
    ("endpoint", "method"),
    [("complete", method) for method in METHODS if method != "POST"]
    + [("convert", method) for method in METHODS if method != "PATCH"],
)
def test_other_methods_are_refused_to_a_client_too(api, brand, host, endpoint, method):
    guest = host.guest(brand)
    path, allowed = {
        "complete": (complete_url(guest.pk), "POST"),
        "convert": (convert_url(host.order(guest)), "PATCH"),
    }[endpoint]
    api.credentials(HTTP_AUTHORIZATION=host.authorization(guest))

    with nothing_written():
        answer = api.generic(method, path, b"{}", content_type=JSON)

    assert refusal(answer) == (405, "method_not_allowed", None)
    assert answer["Allow"] == f"{allowed}, OPTIONS"


@pytest.mark.parametrize("path", [VISIT, REGISTER, GUEST])
def test_head_has_a_status_and_no_body(api, brand, path):
    answer = api.head(path)

    assert (answer.status_code, answer.content) == (405, b"")


@each("method", [*METHODS, "OPTIONS"])
@each(
    ("_case", "path"),
    [
        ("root", "/api"),
        ("root with a slash", "/api/"),
        ("unknown", "/api/unknown"),
        ("with a slash", f"{VISIT}/"),
        ("two slashes", "/api//affiliate_link/visit"),
        ("capitals", "/api/Affiliate_Link/Visit"),
        ("version", "/api/v1/affiliate_link/visit"),
        ("part of a path", "/api/affiliate_link"),
        ("no order", "/api/orders//convert"),
        ("suffix", f"{VISIT}.json"),
        ("line break", "/api/affiliate_link/visit%0A"),
        ("line break inside", "/api/%0A/x"),
        ("NUL", "/api/%00"),
        ("not UTF-8", "/api/%ff%fe"),
        ("climbing", "/api/x/../../etc/passwd"),
        ("very long", "/api/" + "a" * 5000),
    ],
)
def test_unknown_path_is_not_found(api, brand, path, method):
    with nothing_written():
        answer = api.generic(method, path, b"{}", content_type=JSON)

    assert refusal(answer) == (404, "not_found", None)


def test_unknown_path_is_json_while_debugging_too(api, brand, settings):
    settings.DEBUG = True

    assert refusal(api.get("/api/unknown")) == (404, "not_found", None)


@each(
    ("_case", "host_header"),
    [
        ("stranger", "evil.example"),
        ("two hosts", "api.example.com, evil.example"),
        ("markup", "<b>.example.com"),
        ("empty port", "api.example.com:"),
        ("not ASCII", "ü.example.com"),
    ],
)
@each("path", ["/api/unknown", VISIT, "/api/schema"])
def test_odd_host_header_is_no_fault_of_the_service(
    api, brand, settings, host_header, path
):
    settings.ALLOWED_HOSTS = ["api.example.com"]

    answer = api.get(path, HTTP_HOST=host_header)

    assert answer.status_code < 500
    assert answer["Content-Type"].startswith("application/")


@each("path", [VISIT, REGISTER, GUEST, complete_url(1)])
@each("host", ["evil.example", "api.example.com.evil.example", "<b>.example.com", ""])
def test_host_that_is_not_allowed_is_refused(api, link, settings, path, host):
    settings.ALLOWED_HOSTS = ["api.example.com"]
    body = {**visit_body(f"{SHOP}/aff/{link.hash}"), **registration_body()}

    with nothing_written():
        answer = api.post(path, body, format="json", HTTP_HOST=host)

    # Middleware of a host may refuse it before the API does.
    status, code, field = refusal(answer)
    assert (status, field) == (400, None)
    assert code in {"parse_error", "bad_request"}


@each(
    "query",
    ["lang=%00", "lang=../..", "lang=%ff", "format=html", "x" * 999],
)
def test_odd_query_is_no_fault_of_the_service(api, brand, query):
    answer = api.get(f"{VISIT}?{query}")

    assert (answer.status_code, answer["Content-Type"]) == (405, JSON)


@pytest.mark.usefixtures("area")
def test_too_many_query_parameters_are_refused_where_any_are_read(api, host, affiliate):
    api.credentials(HTTP_AUTHORIZATION=host.authorization(affiliate.user))

    answer = api.get("/api/affiliate/claims?" + "&" * 3000)

    assert refusal(answer) == (400, "parse_error", None)


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Basic",
        "Basic !!!",
        "Basic AAAA AAAA",
        "Basic //79",
        "Bearer",
        "Bearer ",
        "Bearer a b",
        "Bearer " + "0" * 64,
        "Bearer " + "a" * 9000,
        "Bearer \u00ff\u00fe",
        "Token " + "0" * 64,
        "nonsense",
        "\u00ff",
    ],
)
@pytest.mark.parametrize("endpoint", ["complete", "convert"])
def test_credentials_that_are_none_are_refused(
    api, brand, host, endpoint, authorization
):
    guest = host.guest(brand)
    order = host.order(guest)

    method, path = {
        "complete": ("POST", complete_url(guest.pk)),
        "convert": ("PATCH", convert_url(order)),
    }[endpoint]
    api.credentials(HTTP_AUTHORIZATION=authorization)

    with nothing_written():
        answer = api.generic(method, path, b"{}", content_type=JSON)

    status, code, field = refusal(answer)
    assert (status, field) == (401, None)
    assert code in {"not_authenticated", "authentication_failed"}
    assert answer["WWW-Authenticate"]


@pytest.mark.parametrize("path", [VISIT, REGISTER, GUEST, "/api/unknown"])
def test_credentials_are_not_looked_at_where_none_are_needed(api, brand, path):
    answer = api.post(
        path, {}, format="json", HTTP_AUTHORIZATION="Bearer \u00ff nonsense"
    )

    assert answer.status_code in {201, 400, 404}
