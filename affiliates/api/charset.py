"""Removes charsets that Django cannot read, such as "hex". Wraps an application.

Before any middleware or view runs, Django decodes the query by the charset of the
Content-Type, and fails on a codec that is not for text, or on too many parameters. JSON
is always read as UTF-8.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict
from django.utils.http import parse_header_parameters

CONTENT_TYPE, ASGI_CONTENT_TYPE = "CONTENT_TYPE", b"content-type"
JSON = "application/json"
# A query with ASCII and other bytes.
PROBE = b"a=%ff&b=\xff"

ASGIApplication = Callable[[Any, Any, Any], Awaitable[None]]


def wsgi_with_readable_charset(application: WSGIApplication) -> WSGIApplication:
    def call(
        environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        environ[CONTENT_TYPE] = _readable(environ.get(CONTENT_TYPE, ""))
        return application(environ, start_response)

    return call


def asgi_with_readable_charset(application: ASGIApplication) -> ASGIApplication:
    async def call(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": list(map(_readable_header, scope["headers"]))}
        await application(scope, receive, send)

    return call


def _readable_header(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    name, value = header
    if name != ASGI_CONTENT_TYPE:
        return header
    return name, _readable(value.decode("latin-1")).encode("latin-1")


def _readable(content_type: str) -> str:
    if ";" not in content_type:
        return content_type
    media_type, _, _ = content_type.partition(";")
    is_json = media_type.strip().lower() == JSON
    return media_type if is_json or not _has_readable(content_type) else content_type


@lru_cache(maxsize=100)
def _has_readable(content_type: str) -> bool:
    try:
        _, parameters = parse_header_parameters(content_type)
        QueryDict(PROBE, encoding=parameters.get("charset"))
    except (LookupError, ValueError, SuspiciousOperation):
        return False
    return True
