"""The short path of a visit: a WSGI layer that answers the plain ones before Django.

It calls the same functions as the viewset, and leaves unusual requests to Django:
Django's handler, its middleware and DRF cost several times as much as the visit itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from io import BytesIO
from time import monotonic
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import orjson
from django.db import close_old_connections
from django.http import HttpRequest
from django.urls import reverse
from rest_framework.exceptions import Throttled

from affiliates.api.http.cors import ALLOW_ORIGIN
from affiliates.api.http.parsers import JSONParser
from affiliates.api.http.renderers import JSONRenderer
from affiliates.api.http.requests import (
    FORWARDED_FOR_HEADER,
    ORIGIN_HEADER,
    address_of,
    origin_of,
    utc_now,
)
from affiliates.api.http.throttles import caller_at, count_call
from affiliates.api.visits import (
    ANSWER,
    REFUSAL,
    AffiliateLinkVisitViewSet,
    read_visit,
    to_data,
)
from affiliates.brands.selectors import brand_for_origin
from affiliates.conf import conf
from affiliates.visits.services import track_visit
from affiliates.waiting.deadline import Deadline

MAX_LENGTH_DIGITS = 9
# The hosts that clients call. Ports and names below a wildcard can be made up without
# limit: a new one then replaces the oldest, at most once a second, since each costs two
# requests to Django.
MAX_HOSTS = 100
SECONDS_BETWEEN = 1.0
_HOST_HEADERS = ("HTTP_HOST", "HTTP_X_FORWARDED_HOST")
# Placeholders for values that differ from answer to answer.
_ORIGIN, _LENGTH = "{origin}", "{length}"

Headers = list[tuple[str, str]]

logger = logging.getLogger(__name__)


class NotPlain(Exception):  # noqa: N818 - says what was found
    """Django's answer to a plain visit is not a plain one."""


class VisitShortPath:
    """Wraps the host's WSGI application.

    The headers are those of Django's own answer to a visit without an affiliate,
    requested once for each scheme and host: they include those of the host's
    middleware.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application
        self._path = reverse("affiliates:affiliate_link_visit")
        self._headers: dict[tuple[str | None, ...], Headers | None] = {}
        self._replaced_at = -SECONDS_BETWEEN

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        answered = None
        if self._is_plain(environ):
            with Deadline(conf.visit_deadline_seconds):
                answered = self._answer(environ)
        if answered is None:
            return self._application(environ, start_response)
        headers, content = answered
        start_response("200 OK", headers)
        return [content]

    def _is_plain(self, environ: WSGIEnvironment) -> bool:
        length = environ.get("CONTENT_LENGTH", "")
        return (
            environ["REQUEST_METHOD"] == "POST"
            and environ.get("PATH_INFO") == self._path
            and environ.get("CONTENT_TYPE") == JSONParser.media_type
            and not environ.get("QUERY_STRING")
            and ORIGIN_HEADER in environ
            and "HTTP_TRANSFER_ENCODING" not in environ
            and len(length) <= MAX_LENGTH_DIGITS
            and length.isdecimal()
            and 0 < int(length) <= conf.max_body_bytes
        )

    def _answer(self, environ: WSGIEnvironment) -> tuple[Headers, bytes] | None:
        """Headers and body, or None if Django must answer."""
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        environ["wsgi.input"] = BytesIO(body)
        try:
            return self._track(_PlainRequest(environ, body))
        except Exception:  # noqa: BLE001 - Django meets it again and answers it
            return None
        finally:
            # As Django does at the end of a request. Its signals would cost an eighth of
            # the visit, most of it for what a visit leaves alone.
            close_old_connections()

    def _track(self, request: Any) -> tuple[Headers, bytes] | None:
        body = orjson.loads(request.content)
        brand = brand_for_origin(origin_of(request))
        address = address_of(request)
        visit = read_visit(body, request, address=address)
        template = self._template(request)
        if template is None:
            return None
        try:
            wait = count_call(
                AffiliateLinkVisitViewSet.throttle_scope, caller_at(address)
            )
            if wait is not None:
                raise Throttled(wait)
            answer = track_visit(brand=brand, visit=visit, now=utc_now())
            if answer.visit_id is not None:
                request.META[ANSWER] = answer
                return None
            content = JSONRenderer().render({"data": to_data(answer)})
        except Exception as refusal:
            # Counted and tried once: the viewset raises it instead of trying again.
            request.META[REFUSAL] = refusal
            raise
        values = {_ORIGIN: request.META[ORIGIN_HEADER], _LENGTH: str(len(content))}
        return [(name, values.get(value, value)) for name, value in template], content

    def _template(self, request: _PlainRequest) -> Headers | None:
        """Raises DisallowedHost. Only allowed hosts are cached."""
        key = (request.scheme, *map(request.META.get, _HOST_HEADERS))
        if key not in self._headers:
            request.get_host()
            if len(self._headers) >= MAX_HOSTS:
                if monotonic() < self._replaced_at + SECONDS_BETWEEN:
                    return None
                self._replaced_at = monotonic()
                self._headers.pop(next(iter(self._headers)), None)
            self._headers[key] = self._learn(request)
        return self._headers.get(key)

    def _learn(self, request: _PlainRequest) -> Headers | None:
        """Django's headers for such a request, if they do not depend on its headers."""
        kept = {ORIGIN_HEADER, *_HOST_HEADERS}
        bare = {
            name: value
            for name, value in request.META.items()
            if not name.startswith("HTTP_") or name in kept
        }
        headers = self._ask_django(request.META)
        if headers == self._ask_django(bare | {"wsgi.url_scheme": request.scheme}):
            return headers
        logger.warning(
            "Visits do not take the short path: a middleware's headers depend on more "
            "than scheme, host and origin."
        )
        return None

    def _ask_django(self, environ: WSGIEnvironment) -> Headers:
        origin = environ[ORIGIN_HEADER]
        visit = {"visit_url": f"{origin}/", "referrer_url": "", "user_agent": ""}
        body = orjson.dumps(visit)
        answered: list[tuple[str, Headers]] = []
        response: Any = self._application(
            environ
            | {
                "CONTENT_LENGTH": str(len(body)),
                "wsgi.input": BytesIO(body),
                # Loopback is never throttled.
                "REMOTE_ADDR": "127.0.0.1",
                FORWARDED_FOR_HEADER: "",
            },
            lambda status, headers, *_: answered.append((status, headers)),  # type: ignore[arg-type] # its write() is for old applications
        )
        length = str(len(b"".join(response)))
        response.close()
        [(status, headers)] = answered
        if status != "200 OK":
            raise NotPlain(status)
        placeholders = {
            (ALLOW_ORIGIN, origin): _ORIGIN,
            ("content-length", length): _LENGTH,
        }
        return [
            (name, placeholders.get((name.lower(), value), value))
            for name, value in headers
        ]


class _PlainRequest(HttpRequest):
    """The parts of a request that a visit's functions read."""

    def __init__(self, environ: WSGIEnvironment, body: bytes) -> None:
        self.META = environ
        self.content = body

    def _get_scheme(self) -> str:
        return str(self.META["wsgi.url_scheme"])
