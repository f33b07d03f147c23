"""What only ASGI has: bodies in parts, callers that leave, threads of the layer's own."""

from __future__ import annotations

import asyncio
import threading

import pytest
from asgiref.sync import async_to_sync

from affiliates.api.short_path import AsyncVisitShortPath
from affiliates.telemetry.request_ids import current_request_id, within_request
from tests.cases import each
from tests.contract.both_paths import (
    BothAsyncPaths,
    call_asgi,
    request,
    scope_of,
    visit,
)
from tests.database import nothing_written


class Application:
    """Stands for Django: keeps what it receives, and answers nothing."""

    def __init__(self):
        self.scopes, self.received = [], []

    async def __call__(self, scope, receive, send):
        self.scopes.append(scope)
        message = {"more_body": True}
        while message.get("more_body"):
            message = await receive()
            self.received.append(message)


def test_a_body_that_drips_takes_the_short_path(brand, link_url, one_connection):
    both = BothAsyncPaths()
    environ, body = request(visit(link_url))
    both.ask(environ, body, seed=1)
    drops = [body[at : at + 1] for at in range(len(body))]

    start, end = call_asgi(both._short, scope_of(environ), *drops, b"")

    assert (start["status"], both._is_left) == (200, False)
    assert end["body"].startswith(b'{"data":{"redirect_url":')


@each("sent", [0, 5])
def test_a_caller_that_leaves_before_its_body_has_come_writes_nothing(
    brand, link_url, one_connection, sent
):
    both = BothAsyncPaths()
    environ, body = request(visit(link_url))

    with nothing_written():
        chunks = [body[:sent]] if sent else []
        answered = call_asgi(both._short, scope_of(environ), *chunks, is_cut_off=True)

    assert (answered, both._is_left) == ([], True)


@pytest.mark.parametrize(
    ("chunks", "is_cut_off", "received"),
    [
        ([b"1234", b"567"], False, [(b"1234567", False)]),
        ([b"1234", b"567", b"8"], False, [(b"1234567", True), (b"8", False)]),
        ([b"1", b"2"], False, [(b"12", False)]),
        ([b"12"], True, [(b"12", True), None]),
    ],
    ids=["longer", "much longer", "shorter", "cut off"],
)
def test_django_receives_what_was_received(chunks, is_cut_off, received):
    django = Application()
    environ, _ = request(b"[12]")

    call_asgi(
        AsyncVisitShortPath(django), scope_of(environ), *chunks, is_cut_off=is_cut_off
    )

    found = [
        (one["body"], one["more_body"]) if one["type"] == "http.request" else None
        for one in django.received
    ]
    assert found == received


@each("kind", ["lifespan", "websocket"])
def test_what_is_no_request_passes_through(kind):
    told = []

    async def django(scope, receive, send):
        told.append((scope, receive, send))

    asyncio.run(AsyncVisitShortPath(django)({"type": kind}, "receive", "send"))

    assert told == [({"type": kind}, "receive", "send")]


def test_the_threads_are_its_own_and_know_the_request():
    short = AsyncVisitShortPath(Application())

    def look(request):
        return threading.current_thread().name, current_request_id(), request

    with within_request("an-id-of-its-own"):
        name, request_id, given = async_to_sync(short._in_thread)(look, "visit")

    assert name.startswith("visit")
    assert (request_id, given) == ("an-id-of-its-own", "visit")
