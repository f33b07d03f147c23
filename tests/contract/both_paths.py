"""One request twice in the same world: by Django alone, and with the short path before it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from io import BytesIO
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

import time_machine
from asgiref.sync import async_to_sync, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, transaction
from django.db.models import Model

from affiliates.api.charset import (
    asgi_with_readable_charset,
    wsgi_with_readable_charset,
)
from affiliates.api.plain_visits import PlainVisits
from affiliates.api.short_path import AsyncVisitShortPath, VisitShortPath
from affiliates.api.throttling.services import own_counts
from affiliates.core.secrets.sealing import NONCE_LENGTH
from affiliates.outbox.models.delivery import Delivery
from affiliates.visits import recognition, services
from affiliates.visits.models import Click
from tests.affiliates.api.calls import BROWSER, SHOP

VISIT = "/api/affiliate_link/visit"
# The caller's. Questions for the headers come from another.
PORT = 50_000


def request(body: Any = None, **changes: Any) -> tuple[dict[str, Any], bytes]:
    """What a web server makes of a visit. A change to None leaves the entry out."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    environ = {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": VISIT,
        "QUERY_STRING": "",
        "SERVER_NAME": "api.localhost",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "203.0.113.7",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(content)),
        "HTTP_HOST": "api.localhost:8000",
        "HTTP_ORIGIN": SHOP,
        "HTTP_ACCEPT": "*/*",
        "wsgi.url_scheme": "http",
        **changes,
    }
    return {key: value for key, value in environ.items() if value is not None}, content


def visit(url: str = f"{SHOP}/", **fields: Any) -> dict[str, Any]:
    return {"visit_url": url, "referrer_url": "", "user_agent": BROWSER, **fields}


@dataclass
class Answer:
    """What came back, what was written, and whether Django was left to answer."""

    status: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    rows: list[Any] = field(default_factory=list)
    throttle: dict[str, Any] = field(default_factory=dict)
    by_django: bool = field(default=False, compare=False)


class BothPaths:
    """Under WSGI."""

    def __init__(self) -> None:
        self._django: Any = WSGIHandler()
        self._short: Any = VisitShortPath(self._left_to_django)
        self._own: Any = None
        self._is_left = False

    @property
    def headers(self) -> dict[Any, Any]:
        """What the short path has learnt, by scheme and host."""
        learnt: dict[Any, Any] = self._short._visits._headers
        return learnt

    @property
    def asked(self) -> dict[Any, Any]:
        """When the short path last asked Django for them."""
        moments: dict[Any, Any] = self._short._visits._asked_at
        return moments

    def ask(
        self,
        environ: dict[str, Any],
        body: bytes,
        *,
        seed: object,
        is_kept: bool = True,
    ) -> Answer:
        """The short path's answer, which must be Django's. What it wrote is kept or not."""
        with _standing_still(), _one_connection():
            with _undone():
                by_django = self._pass(self._django, environ, body, seed)
            with nullcontext() if is_kept else _undone():
                answer = self._pass(self._short, environ, body, seed)
        assert answer == by_django, (
            f"seed {seed}: {environ} {body!r}\n{answer}\n{by_django}"
        )
        return answer

    def _left_to_django(self, environ: Any, start_response: Any) -> Any:
        if environ is self._own:
            self._is_left = True
            return self._django(environ, start_response)
        # A question for the headers must not take the ids of the request at hand.
        with _chance("headers"):
            return self._django(environ, start_response)

    def _pass(
        self, application: Any, environ: dict[str, Any], body: bytes, seed: object
    ) -> Answer:
        answer = Answer()
        self._is_left = False
        with _chance(seed) as ids:
            self._call(application, environ, body, answer)
        answer.rows = _rows(Click, "id", [one.hex for one in ids])
        # Without its own number, which a sequence gives.
        queued = _rows(Delivery, "key", [f"click:{one}" for one in ids])
        answer.rows += [row[1:] for row in queued]
        answer.throttle = {key: one.calls for key, one in own_counts._counts.items()}
        answer.by_django = self._is_left
        return answer

    def _call(
        self, application: Any, environ: dict[str, Any], body: bytes, answer: Answer
    ) -> None:
        self._own = environ | {"wsgi.input": BytesIO(body), "wsgi.errors": BytesIO()}

        def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
            answer.status, answer.headers = status, headers

        response = wsgi_with_readable_charset(application)(self._own, start_response)
        answer.body = b"".join(response)
        if hasattr(response, "close"):
            response.close()


class BothAsyncPaths(BothPaths):
    """Under ASGI. What takes a thread there takes the test's own, for its connection."""

    def __init__(self) -> None:
        # Not the handler itself: it gives each request a thread.
        self._django = ASGIHandler().handle
        self._short = AsyncVisitShortPath(self._left_to_django_async)
        self._short._in_thread = lambda act, request: sync_to_async(act)(request)
        self._is_left = False

    async def _left_to_django_async(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["client"][1] == PORT:
            self._is_left = True
            await self._django(scope, receive, send)
            return
        with _chance("headers"):
            await self._django(scope, receive, send)

    def _call(
        self, application: Any, environ: dict[str, Any], body: bytes, answer: Answer
    ) -> None:
        half = len(body) // 2
        start, *parts = call_asgi(
            asgi_with_readable_charset(application),
            scope_of(environ),
            body[:half],
            body[half:],
        )
        answer.status = f"{start['status']} {HTTPStatus(start['status']).phrase}"
        answer.headers = [
            (name.decode(), value.decode("latin-1")) for name, value in start["headers"]
        ]
        answer.body = b"".join(part["body"] for part in parts)
        assert [part["more_body"] for part in parts] == [False]


@cache
def both_paths() -> tuple[BothPaths, ...]:
    """For tests that leave the settings as they are."""
    return BothPaths(), BothAsyncPaths()


def scope_of(environ: dict[str, Any]) -> dict[str, Any]:
    """The same request as an ASGI server would pass it on."""
    names = {"CONTENT_TYPE": "content-type", "CONTENT_LENGTH": "content-length"}
    for name in environ:
        if name.startswith("HTTP_"):
            names[name] = name.removeprefix("HTTP_").replace("_", "-").lower()
    root_path = environ["SCRIPT_NAME"]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": environ["REQUEST_METHOD"],
        "scheme": environ["wsgi.url_scheme"],
        "path": root_path + environ["PATH_INFO"],
        "root_path": root_path,
        "query_string": environ["QUERY_STRING"].encode("latin-1"),
        "headers": [
            (header.encode(), environ[name].encode("latin-1"))
            for name, header in names.items()
            if name in environ
        ],
        "client": (environ["REMOTE_ADDR"], PORT),
        "server": (environ["SERVER_NAME"], int(environ["SERVER_PORT"])),
    }


def call_asgi(
    application: Any, scope: dict[str, Any], *chunks: bytes, is_cut_off: bool = False
) -> list[dict[str, Any]]:
    """The messages that answer a request, whose body comes in chunks or ends early."""
    received = [
        {"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks
    ]
    if is_cut_off:
        received.append({"type": "http.disconnect"})
    else:
        received[-1]["more_body"] = False
    coming, answered = iter(received), list[dict[str, Any]]()

    async def receive() -> dict[str, Any]:
        for message in coming:
            return message
        return await asyncio.get_running_loop().create_future()

    async def send(message: dict[str, Any]) -> None:
        answered.append(message)

    async_to_sync(application)(scope, receive, send)
    return answered


def _rows(model: type[Model], column: str, values: list[str]) -> list[Any]:
    if not values:
        return []
    marks = ", ".join(["%s"] * len(values))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT * FROM {model._meta.db_table} "  # noqa: S608 - our own names
            f"WHERE {column} IN ({marks}) ORDER BY {column}",
            values,
        )
        return cursor.fetchall()


@contextmanager
def _undone() -> Iterator[None]:
    """Neither rows nor the throttle's counts remain."""
    counts = deepcopy(own_counts._counts)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    own_counts._counts = counts


@contextmanager
def _standing_still() -> Iterator[None]:
    with time_machine.travel(datetime.now(tz=UTC), tick=False):
        yield


@contextmanager
def _one_connection() -> Iterator[None]:
    """A request that ends would close the test's connection."""
    signals = (request_started, request_finished)
    connected = [one for one in signals if one.disconnect(close_old_connections)]
    with patch(f"{PlainVisits.__module__}.close_old_connections"):
        yield
    for one in connected:
        one.connect(close_old_connections)


@contextmanager
def _chance(seed: object) -> Iterator[list[UUID]]:
    """Ids and nonces that are the same for the same seed; the ids that were given out."""
    random = Random(str(seed))  # noqa: S311 - to be repeated
    ids: list[UUID] = []

    def new_id() -> UUID:
        ids.append(UUID(int=random.getrandbits(128)))
        return ids[-1]

    with (
        patch.object(services, "new_id", new_id),
        patch.object(services, "new_nonce", lambda: random.randbytes(NONCE_LENGTH)),
        patch.object(recognition, "new_identifier", lambda: random.randbytes(16).hex()),
    ):
        yield ids
