"""A request's id is taken or made, answered, and known until the request is over."""

from __future__ import annotations

import asyncio
import re

import pytest

from affiliates.telemetry.request_ids import (
    asgi_with_request_id,
    current_request_id,
    within_request,
    wsgi_with_request_id,
)
from tests.cases import each

SANE = [
    "01920000-0000-7000-8000-000000000001",
    "Root=1-67891233-abcdef012345678912345678",
    "a" * 8,
    "A1._:+/=" * 8,
]
NOT_SANE = [
    "",
    "short",
    "a" * 65,
    "with a blank",
    "line\r\nX-Evil: 1",
    "ümlaut-ümlaut",
    "a" * 9 + "\n",
]
MADE = re.compile("[0-9a-f]{32}")


def ask_wsgi(given: str) -> tuple[str, str, list[str]]:
    """The id inside the application, the one after it, and those in the answer."""
    inside, answered = [], []

    def application(environ, start_response):
        inside.append(current_request_id())
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b""]

    def start(status, headers, *rest):
        answered.extend(headers)

    wsgi_with_request_id(application)({"HTTP_X_REQUEST_ID": given}, start)
    assert answered.pop(0) == ("Content-Type", "text/plain")
    return inside[0], current_request_id(), [value for _, value in answered]


def ask_asgi(given: str) -> tuple[str, str, list[str]]:
    inside, sent = [], []

    async def application(scope, receive, send):
        inside.append(current_request_id())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message):
        sent.append(message)

    async def ask() -> str:
        headers = [(b"x-request-id", given.encode("latin-1"))]
        await asgi_with_request_id(application)(
            {"type": "http", "headers": headers}, None, send
        )
        return current_request_id()

    after = asyncio.run(ask())
    start, body = sent
    assert body == {"type": "http.response.body", "body": b""}
    return inside[0], after, [value.decode() for _, value in start["headers"]]


@pytest.mark.parametrize("ask", [ask_wsgi, ask_asgi])
def test_a_sane_id_is_kept(ask):
    for given in SANE:
        assert ask(given) == (given, "", [given])


@pytest.mark.parametrize("ask", [ask_wsgi, ask_asgi])
def test_an_id_is_made_for_any_other(ask):
    found = [ask(given) for given in NOT_SANE]

    assert all(MADE.fullmatch(inside) for inside, _, _ in found)
    assert all((after, answered) == ("", [inside]) for inside, after, answered in found)
    assert len({inside for inside, _, _ in found}) == len(NOT_SANE)


def test_what_is_no_request_passes_through():
    told = []

    async def application(scope, receive, send):
        told.append((scope, send))

    asyncio.run(asgi_with_request_id(application)({"type": "lifespan"}, None, "send"))

    assert told == [({"type": "lifespan"}, "send")]


@each("given", ["", "01920000000070008000000000000001"])
def test_a_block_has_an_id_of_its_own(given):
    with within_request("an-outer-request"):
        with within_request(given):
            inside = current_request_id()
        assert current_request_id() == "an-outer-request"

    assert inside == given or (not given and MADE.fullmatch(inside))
    assert current_request_id() == ""
