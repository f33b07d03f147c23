"""The id of a request: taken from its header or made, and known wherever it leads.

Log lines, queued deliveries and e-mails, and outgoing requests carry it.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from random import getrandbits
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

HEADER, WSGI_HEADER, ASGI_HEADER = "X-Request-ID", "HTTP_X_REQUEST_ID", b"x-request-id"
MAX_REQUEST_ID = 64
# Nothing that could end a line of a log or a header.
_SANE = re.compile(rf"[A-Za-z0-9._:+/=-]{{8,{MAX_REQUEST_ID}}}")

ASGIApplication = Callable[[Any, Any, Any], Awaitable[None]]

_current: ContextVar[str] = ContextVar("affiliates_request_id", default="")


def current_request_id() -> str:
    """That of the request or job that this thread is at; "" outside of both."""
    return _current.get()


@contextmanager
def within_request(request_id: str = "") -> Iterator[None]:
    """Sets the id for a block; without one, or with one that is not sane, a new one."""
    token = _current.set(_sane_or_new(request_id))
    try:
        yield
    finally:
        _current.reset(token)


def wsgi_with_request_id(application: WSGIApplication) -> WSGIApplication:
    """Wraps an application: its answers name the id in ``X-Request-ID``."""

    def call(
        environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        request_id = _sane_or_new(environ.get(WSGI_HEADER, ""))

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            return start_response(status, [*headers, (HEADER, request_id)], *rest)

        token = _current.set(request_id)
        try:
            return application(environ, start)
        finally:
            _current.reset(token)

    return call


def asgi_with_request_id(application: ASGIApplication) -> ASGIApplication:
    """The same for ASGI."""

    async def call(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        header = dict(scope["headers"]).get(ASGI_HEADER, b"").decode("latin-1")
        request_id = _sane_or_new(header)

        async def answer(message: Any) -> None:
            if message["type"] == "http.response.start":
                named = (ASGI_HEADER, request_id.encode())
                message = {**message, "headers": [*message.get("headers", ()), named]}
            await send(message)

        with within_request(request_id):
            await application(scope, receive, answer)

    return call


def _sane_or_new(request_id: str) -> str:
    # No secret. The system's randomness would release Python's lock at each visit.
    return (
        request_id
        if request_id and _SANE.fullmatch(request_id)
        else f"{getrandbits(128):032x}"
    )
