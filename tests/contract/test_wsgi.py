"""Requests as bytes, past every convenience of a test client."""

from __future__ import annotations

import json
from io import BytesIO

import pytest

from affiliates.visits.models import Click
from portal.wsgi import application
from tests.cases import each

pytestmark = pytest.mark.usefixtures("one_connection")

VISIT = "/api/affiliate_link/visit"
BODY = json.dumps(
    {"visit_url": "https://shop.example.com/", "referrer_url": "", "user_agent": ""}
).encode()


def call(path, *, method="POST", query="", body=BODY, **environ):
    """Status, headers and body of what a web server would be given."""
    seen = {}

    def start_response(status, headers, exc_info=None):
        seen.update(status=int(status.split()[0]), headers=dict(headers))
        return lambda data: None

    response = application(
        {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "api.localhost",
            "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_HOST": "api.localhost:8000",
            "HTTP_ORIGIN": "https://shop.example.com",
            "wsgi.input": BytesIO(body),
            "wsgi.errors": BytesIO(),
            "wsgi.url_scheme": "http",
            **environ,
        },
        start_response,
    )
    content = b"".join(response)
    return seen["status"], seen["headers"], content


def test_plain_visit(brand):
    status, headers, content = call(VISIT)

    assert status == 200
    assert headers["Content-Type"] == "application/json"
    assert json.loads(content) == {
        "data": {"redirect_url": "https://shop.example.com/#"}
    }


@each(
    "charset", ["utf-8", "latin-1", "hex", "idna", "undefined", "utf-16", "no-such", ""]
)
@each("query", ["", "lang=de", "a=%ff"])
@each(
    ("method", "path", "expected"),
    [("POST", VISIT, 200), ("GET", "/api/products", 200), ("GET", "/api/x", 404)],
)
def test_charset_of_the_content_type_means_nothing(
    brand, method, path, expected, query, charset
):
    status, headers, _ = call(
        path,
        method=method,
        query=query,
        CONTENT_TYPE=f"application/json; charset={charset}",
    )

    assert status == expected
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", ["/api/products", "/api/schema"])
def test_too_many_query_parameters_are_the_callers_fault(brand, path):
    status, headers, _ = call(path, method="GET", query="a=1&" * 2000, body=b"")

    assert status in {200, 400}
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("length", ["", "abc", "-1", "0"])
def test_odd_content_length_is_no_fault_of_the_service(brand, length):
    status, headers, _ = call(VISIT, CONTENT_LENGTH=length)

    assert status == 400
    assert headers["Content-Type"] == "application/json"


def test_body_shorter_than_its_length_is_refused(brand):
    status, headers, _ = call(VISIT, body=BODY[:20], CONTENT_LENGTH="500")

    assert status == 400
    assert headers["Content-Type"] == "application/json"


def test_body_longer_than_its_length_is_not_read_on(brand, link_url):
    body = BODY + b" " * 100_000

    status, _, _ = call(VISIT, body=body, CONTENT_LENGTH=str(len(BODY)))

    assert status == 200
    assert not Click.objects.exists()


@each(
    ("header", "value"),
    [
        ("HTTP_ORIGIN", "https://\xff\xfe"),
        ("HTTP_ORIGIN", "https://shop.example.com\x00"),
        ("HTTP_AUTHORIZATION", "Bearer \xff"),
        ("HTTP_ACCEPT", "\xff"),
        ("HTTP_ACCEPT_LANGUAGE", "\x00"),
        ("HTTP_COOKIE", "csrftoken=\xff; sessionid=\x00"),
        ("HTTP_X_FORWARDED_FOR", "\xff, \x00"),
        ("HTTP_HOST", "evil.example"),
        ("HTTP_HOST", "\xff"),
        ("REMOTE_ADDR", ""),
        ("CONTENT_TYPE", "application/json; charset=\xff"),
        ("CONTENT_TYPE", "\xff"),
        ("HTTP_ACCESS_CONTROL_REQUEST_METHOD", "\xff"),
        ("HTTP_SEC_PURPOSE", "\xff"),
    ],
)
@each("method", ["POST", "OPTIONS"])
def test_odd_header_is_no_fault_of_the_service(brand, link_url, header, value, method):
    body = BODY.replace(b"https://shop.example.com/", link_url.encode())

    status, headers, content = call(VISIT, method=method, body=body, **{header: value})

    assert status < 500
    assert content == b"" or headers["Content-Type"] == "application/json"
