"""No charset that a request names breaks Django before our views are asked."""

from __future__ import annotations

import asyncio

import pytest

from affiliates.api.charset import (
    asgi_with_readable_charset,
    wsgi_with_readable_charset,
)

FORM = "application/x-www-form-urlencoded"
CASES = [
    ("application/json", "application/json"),
    ("application/json; charset=utf-8", "application/json"),
    ("Application/JSON ;charset=hex", "Application/JSON "),
    ("multipart/form-data; boundary=x", "multipart/form-data; boundary=x"),
    (f"{FORM}; charset=latin-1", f"{FORM}; charset=latin-1"),
    (f"{FORM}; charset=hex", FORM),
    (f'{FORM}; CHARSET="hex"', FORM),
    (f"{FORM}; charset*=utf-8''hex", FORM),
    (f"{FORM}; charset*=no-such''x", FORM),
    (f"{FORM}; charset=idna", FORM),
    (f"{FORM}; charset=undefined", FORM),
    (f"{FORM}; charset=no-such", FORM),
    (f"{FORM}; charset=\x00", FORM),
    ("", ""),
]


@pytest.mark.parametrize(("given", "kept"), CASES)
def test_wsgi_is_told_readable_charsets_only(given, kept):
    def application(environ, start_response):
        return [environ["CONTENT_TYPE"]]

    call = wsgi_with_readable_charset(application)

    assert call({"CONTENT_TYPE": given}, None) == [kept]


@pytest.mark.parametrize(("given", "kept"), CASES)
def test_asgi_is_told_readable_charsets_only(given, kept):
    told = []

    async def application(scope, receive, send):
        told.append(scope)

    call = asgi_with_readable_charset(application)
    headers = [(b"host", b"a;charset=hex"), (b"content-type", given.encode("latin-1"))]
    asyncio.run(call({"type": "http", "headers": headers}, None, None))
    asyncio.run(call({"type": "lifespan"}, None, None))

    assert told == [
        {
            "type": "http",
            "headers": [headers[0], (b"content-type", kept.encode("latin-1"))],
        },
        {"type": "lifespan"},
    ]
