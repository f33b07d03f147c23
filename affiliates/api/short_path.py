"""The short path of a visit: a layer that answers the plain ones before Django."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from io import BytesIO
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest

from affiliates.api.charset import ASGIApplication
from affiliates.api.plain_visits import (
    ASKED_BY_LOOPBACK,
    KEPT_HEADERS,
    LOOPBACK,
    DjangoAnswer,
    Headers,
    HeadersUnknown,
    PlainVisits,
    question,
)
from affiliates.conf import conf
from affiliates.db.deadlines.deadline import Deadline

# Under ASGI. They wait for commits, which they share.
THREADS = 16
# As a scope writes them.
_FORWARDED_FOR, _LENGTH, _TYPE = b"x-forwarded-for", b"content-length", b"content-type"
_KEPT = {_TYPE} | {
    name.removeprefix("HTTP_").replace("_", "-").lower().encode()
    for name in KEPT_HEADERS
}

Answered = tuple[Headers, bytes] | None
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]


class VisitShortPath:
    """Wraps the host's WSGI application."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application
        self._visits = PlainVisits()

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        answered = self._answer(environ) if self._visits.is_plain(environ) else None
        if answered is None:
            return self._application(environ, start_response)
        headers, content = answered
        start_response("200 OK", headers)
        return [content]

    def _answer(self, environ: WSGIEnvironment) -> Answered:
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        environ["wsgi.input"] = BytesIO(body)
        request = _PlainRequest(environ, body)
        try:
            return self._visits.answer(request)
        except HeadersUnknown:
            return self._answer_after_learning(request)

    def _answer_after_learning(self, request: _PlainRequest) -> Answered:
        bare = {
            name: value
            for name, value in request.META.items()
            if not name.startswith("HTTP_") or name in KEPT_HEADERS
        }
        bare["wsgi.url_scheme"] = request.scheme
        try:
            with Deadline(conf.visit_deadline_seconds):
                asked = (
                    self._ask_django(environ, request)
                    for environ in (request.META, bare)
                )
                self._visits.learn(request, *asked)
                return self._visits.answer(request)
        except Exception:  # noqa: BLE001 - Django meets it again and answers it
            return None

    def _ask_django(
        self, environ: WSGIEnvironment, request: _PlainRequest
    ) -> DjangoAnswer:
        body = question(request)
        answered: list[tuple[str, Headers]] = []
        response: Any = self._application(
            environ
            | ASKED_BY_LOOPBACK
            | {"CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body)},
            lambda status, headers, *_: answered.append((status, headers)),  # type: ignore[arg-type] # its write() is for old applications
        )
        content = b"".join(response)
        response.close()
        [(status, headers)] = answered
        return DjangoAnswer(int(status.split()[0]), headers, content)


class AsyncVisitShortPath:
    """Wraps the host's ASGI application. Visits are answered on threads of its own."""

    def __init__(self, application: ASGIApplication) -> None:
        self._application = application
        self._visits = PlainVisits()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="visit")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = self._read(scope)
        if request is None:
            await self._application(scope, receive, send)
            return
        length = int(request.META["CONTENT_LENGTH"])
        received = await _receive_body(receive, length)
        request.content = received[0]["body"]
        answered = None
        if not received[0]["more_body"] and len(request.content) == length:
            answered = await self._answer(request)
        if answered is None:
            again = _receiving(received, receive)
            await self._application(request.scope, again, send)
            return
        headers, content = answered
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [
                    (name.encode("ascii"), value.encode("latin-1"))
                    for name, value in headers
                ],
            }
        )
        await send({"type": "http.response.body", "body": content, "more_body": False})

    def _read(self, scope: Any) -> _PlainAsyncRequest | None:
        """The request as Django will read it, if it is plain."""
        if (
            scope["type"] != "http"
            or scope["method"] != "POST"
            or not scope["path"].endswith(self._visits.path)
        ):
            return None
        try:
            request = _PlainAsyncRequest(dict(scope), BytesIO())
        except UnicodeDecodeError:
            return None
        return request if self._visits.is_plain(request.META) else None

    async def _answer(self, request: _PlainAsyncRequest) -> Answered:
        try:
            return await self._in_thread(self._visits.answer, request)
        except HeadersUnknown:
            return await self._answer_after_learning(request)

    async def _in_thread(
        self, answer: Callable[[Any], Answered], request: _PlainAsyncRequest
    ) -> Answered:
        """Not as ``sync_to_async``, whose threads are too few to share commits."""
        run = copy_context().run
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, run, answer, request)

    async def _answer_after_learning(self, request: _PlainAsyncRequest) -> Answered:
        headers = request.scope["headers"]
        bare = {
            "headers": [header for header in headers if header[0] in _KEPT],
            "scheme": request.scheme,
        }
        try:
            with Deadline(conf.visit_deadline_seconds):
                self._visits.learn(
                    request,
                    await self._ask_django(request.scope, request),
                    await self._ask_django(request.scope | bare, request),
                )
                return await self._in_thread(self._visits.answer, request)
        except Exception:  # noqa: BLE001 - Django meets it again and answers it
            return None

    async def _ask_django(
        self, scope: dict[str, Any], request: _PlainAsyncRequest
    ) -> DjangoAnswer:
        body = question(request)
        changed = {_FORWARDED_FOR: b"", _LENGTH: str(len(body)).encode()}
        headers = [header for header in scope["headers"] if header[0] not in changed]
        asked = {"client": (LOOPBACK, 0), "headers": [*headers, *changed.items()]}
        whole = {"type": "http.request", "body": body, "more_body": False}
        never: Any = asyncio.get_running_loop().create_future
        answered: list[Message] = []

        async def send(message: Message) -> None:
            answered.append(message)

        await self._application(scope | asked, _receiving([whole], never), send)
        start, *parts = answered
        return DjangoAnswer(
            start["status"],
            [
                (name.decode(), value.decode("latin-1"))
                for name, value in start["headers"]
            ],
            b"".join(part.get("body", b"") for part in parts),
        )


class _PlainRequest(HttpRequest):
    """The parts of a request that a visit's functions read."""

    def __init__(self, environ: WSGIEnvironment, content: bytes) -> None:
        self.META = environ
        self.content = content

    def _get_scheme(self) -> str:
        return str(self.META["wsgi.url_scheme"])


class _PlainAsyncRequest(ASGIRequest):
    scope: dict[str, Any]
    content = b""


async def _receive_body(receive: Receive, length: int) -> list[Message]:
    """The body as one message, then the caller's disconnection if it came instead.

    What is longer than ``length`` is not received to its end.
    """
    body, message = bytearray(), Message(more_body=True)
    while message.get("more_body") and len(body) <= length:
        message = await receive()
        body += message.get("body", b"")
    is_connected = message["type"] == "http.request"
    is_more = not is_connected or message.get("more_body", False)
    whole = {"type": "http.request", "body": bytes(body), "more_body": is_more}
    return [whole] if is_connected else [whole, message]


def _receiving(messages: Iterable[Message], then: Receive) -> Receive:
    """These messages, one by one, before those that ``then`` receives."""
    remaining = iter(messages)

    async def receive() -> Message:
        for message in remaining:
            return message
        return await then()

    return receive
