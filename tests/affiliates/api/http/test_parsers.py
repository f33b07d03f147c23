"""What a request body may be, on every endpoint that reads one."""

from __future__ import annotations

import json
from contextlib import nullcontext
from io import BytesIO

import pytest
from django.core.handlers.asgi import ASGIRequest
from rest_framework.request import Request

from affiliates.api.http.negotiation import JSONOnly, LengthRequired
from affiliates.api.http.renderers import JSONRenderer
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

LIMIT = 65_536
JSON = "application/json"
UNSAID = {"CONTENT_LENGTH": ""}
ENDPOINTS = ["visit", "register", "guest", "complete", "convert"]


@pytest.fixture
def send(api, brand, host):
    """Sends raw bytes to one of the endpoints, with credentials where it wants them."""
    guest = host.guest(brand)
    order = host.order(guest)
    paths = {
        "visit": ("POST", VISIT),
        "register": ("POST", REGISTER),
        "guest": ("POST", GUEST),
        "complete": ("POST", complete_url(guest.pk)),
        "convert": ("PATCH", convert_url(order)),
    }
    authorization = host.authorization(guest)

    def send(endpoint, body, content_type=JSON, **extra):
        method, path = paths[endpoint]
        if endpoint in {"complete", "convert"}:
            extra["HTTP_AUTHORIZATION"] = authorization
        return api.generic(method, path, body, content_type=content_type, **extra)

    return send


@each("endpoint", ENDPOINTS)
@each(
    ("_case", "body"),
    [
        ("words", b"hello"),
        ("form", b"visit_url=https%3A%2F%2Fshop.example.com"),
        ("cut off", b'{"visit_url": "https://shop.exa'),
        ("trailing comma", b'{"a": 1,}'),
        ("two values", b"{}{}"),
        ("single quotes", b"{'a': 1}"),
        ("not a number", b'{"a": NaN}'),
        ("infinity", b'{"a": -Infinity}'),
        ("byte order mark", b"\xef\xbb\xbf{}"),
        ("invalid UTF-8", b'{"a": "\xff"}'),
        ("UTF-16", "{}".encode("utf-16")),
        ("raw NUL", b"\x00"),
        ("lone surrogate", b'{"a": "\\ud800"}'),
        ("spaces only", b"   "),
        ("nested 30,000 deep", b"[" * 30_000 + b"]" * 30_000),
        ("objects nested 10,000 deep", b'{"a":' * 10_000 + b"1" + b"}" * 10_000),
        ("never closed", b"[" * 60_000),
    ],
)
def test_body_that_is_no_json_is_refused(send, endpoint, body):
    with nothing_written():
        answer = send(endpoint, body)

    assert refusal(answer) == (400, "parse_error", None)


@each("endpoint", ENDPOINTS)
@each("body", [b"[]", b'["a"]', b'"text"', b"7", b"1.5", b"true", b"null"])
def test_body_must_be_an_object(send, endpoint, body):
    with nothing_written():
        answer = send(endpoint, body)

    status, code, _ = refusal(answer)
    assert (status, code) in {(400, "invalid"), (400, "null")}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_fault_of_the_whole_body_names_no_field(send, endpoint):
    _, _, field = refusal(send(endpoint, b"[]"))

    assert field is None


@pytest.mark.parametrize("endpoint", ["visit", "register", "complete"])
@pytest.mark.parametrize("body", [b"", b"{}"])
def test_empty_body_lacks_the_required_fields(send, endpoint, body):
    with nothing_written():
        answer = send(endpoint, body)

    assert answer.status_code == 400
    errors = answer.json()["errors"]
    assert {error["code"] for error in errors} == {"required"}
    assert {error["attr"] for error in errors} == {
        "visit": {"visit_url", "referrer_url", "user_agent"},
        "register": {"email", "firstname", "lastname", "password"},
        "complete": {"email", "firstname", "lastname", "password"},
    }[endpoint]


@each("endpoint", ENDPOINTS)
@each(
    ("_case", "body"),
    [
        ("one byte too long", b"{}".ljust(LIMIT + 1)),
        ("65 kB", b'{"a": "' + b"a" * 66_560 + b'"}'),
        ("nested 100,000 deep", b"[" * 100_000 + b"]" * 100_000),
        ("a megabyte", b"x" * 1_000_000),
    ],
)
def test_body_over_64_kib_is_refused(send, endpoint, body):
    with nothing_written():
        answer = send(endpoint, body)

    assert refusal(answer) == (413, "body_too_large", None)


def test_body_of_exactly_64_kib_is_read(send):
    body = json.dumps(visit_body()).encode()

    assert send("visit", body.ljust(LIMIT)).status_code == 200


@each("endpoint", ENDPOINTS)
@each(
    ("_case", "said"),
    [
        ("chunked", {**UNSAID, "HTTP_TRANSFER_ENCODING": "chunked"}),
        ("chunked, with a length", {"HTTP_TRANSFER_ENCODING": "chunked"}),
        ("HTTP/2 by WSGI", {**UNSAID, "wsgi.input_terminated": True}),
    ],
)
def test_body_whose_length_is_not_said_is_refused(send, endpoint, said):
    body = json.dumps({**visit_body(), **registration_body()})

    with nothing_written():
        answer = send(endpoint, body, **said)

    assert refusal(answer) == (411, "length_required", None)


@pytest.mark.parametrize(
    ("http_version", "method", "body", "is_refused"),
    [
        ("2", "POST", b"{}", True),
        ("3", "PATCH", b"{}", True),
        ("2", "POST", b"", False),
        ("2", "GET", b"{}", False),
        # A body without Transfer-Encoding is none: nothing is tried.
        ("1.1", "POST", b"{}", False),
    ],
)
def test_body_whose_length_is_not_said_by_asgi(http_version, method, body, is_refused):
    scope = {"method": method, "path": GUEST, "http_version": http_version}
    stream = BytesIO(body)
    request = Request(ASGIRequest(scope, stream))

    with pytest.raises(LengthRequired) if is_refused else nullcontext():
        JSONOnly().select_renderer(request, [JSONRenderer()])

    assert stream.read() == (b"}" if is_refused else body)


ENDED = {"wsgi.input_terminated": True, "wsgi.input": BytesIO()}


@pytest.mark.parametrize("said", [{}, UNSAID, UNSAID | ENDED])
def test_no_body_needs_no_length(send, said):
    assert send("guest", b"", **said).status_code == 201


def test_limit_is_a_setting(send, settings):
    settings.AFFILIATES_MAX_BODY_BYTES = 100

    with nothing_written():
        answer = send("visit", json.dumps(visit_body()).encode())

    assert refusal(answer) == (413, "body_too_large", None)


@each("endpoint", ENDPOINTS)
@each(
    "content_type",
    [
        "text/plain",
        "text/plain; charset=utf-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/jsonp",
        "application/*",
        "*/*",
        "json",
        "text/plain, application/json",
        "",
    ],
)
def test_other_content_types_are_refused(send, endpoint, content_type):
    with nothing_written():
        answer = send(endpoint, b'{"a": 1}', content_type)

    assert refusal(answer) == (415, "unsupported_media_type", None)


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "application/json; charset=iso-8859-1",
        "application/json; charset=idna",
        "application/json; charset=hex",
        "application/json; charset=no-such",
        'application/json; profile="x"; charset',
    ],
)
def test_json_is_utf8_whatever_the_charset_says(send, content_type):
    body = json.dumps(
        visit_body(f"{SHOP}/ü", user_agent="ブラウザ"), ensure_ascii=False
    ).encode()

    assert send("visit", body, content_type).status_code == 200


@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml", "*/*", "", "nonsense", "text/html;q=x"]
)
def test_answer_is_json_whatever_is_accepted(send, accept):
    fine = send("visit", json.dumps(visit_body()).encode(), HTTP_ACCEPT=accept)
    refused = send("register", b"{}", HTTP_ACCEPT=accept)

    assert (fine.status_code, fine["Content-Type"]) == (200, JSON)
    assert (refused.status_code, refused["Content-Type"]) == (400, JSON)


def test_last_of_two_equal_keys_counts(send):
    body = json.dumps(registration_body())[:-1] + ', "email": "last@example.org"}'

    answer = send("register", body.encode())

    assert answer.status_code == 201
    assert answer.json()["data"]["email"] == "last@example.org"
