"""Answers plain visits before Django, for the adapters of WSGI and ASGI.

It calls the same functions as the viewset, and leaves unusual requests to Django:
Django's handler, its middleware and DRF cost several times as much as the visit itself.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from time import monotonic
from typing import Any, NamedTuple

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
    passed_on,
    read_visit,
    to_data,
)
from affiliates.brands.selectors import brand_for_origin
from affiliates.conf import conf
from affiliates.db.deadlines.deadline import Deadline
from affiliates.visits.services import track_visit

MAX_LENGTH_DIGITS = 9
# The hosts that clients call. Ports and names below a wildcard can be made up without
# limit: a new one then replaces the oldest, at most once a second, since each costs two
# requests to Django.
MAX_HOSTS = 100
SECONDS_BETWEEN = 1.0
HOST_HEADERS = ("HTTP_HOST", "HTTP_X_FORWARDED_HOST")
# What a question for the headers changes: loopback is never throttled.
LOOPBACK = "127.0.0.1"
ASKED_BY_LOOPBACK = {"REMOTE_ADDR": LOOPBACK, FORWARDED_FOR_HEADER: ""}
KEPT_HEADERS = {ORIGIN_HEADER, *HOST_HEADERS}
# Placeholders for values that differ from answer to answer.
_ORIGIN, _LENGTH = "{origin}", "{length}"

Headers = list[tuple[str, str]]
_Key = tuple[str | None, ...]

logger = logging.getLogger(__name__)


class DjangoAnswer(NamedTuple):
    status: int
    headers: Headers
    content: bytes


class HeadersUnknown(Exception):  # noqa: N818 - says what was found
    """Django's headers for this scheme and host are to be learnt first."""


class PlainVisits:
    """The headers are those of Django's own answer to a visit without an affiliate,
    requested once for each scheme and host: they include those of the host's
    middleware.

    Requests are Django's, with ``content``: the body.
    """

    def __init__(self) -> None:
        self.path = reverse("affiliates:affiliate_link_visit")
        self._headers: dict[_Key, Headers | None] = {}
        self._asked_at: dict[_Key, float] = {}
        self._replaced_at = -SECONDS_BETWEEN

    def is_plain(self, meta: Mapping[str, Any]) -> bool:
        length = meta.get("CONTENT_LENGTH", "")
        return (
            meta["REQUEST_METHOD"] == "POST"
            and meta.get("PATH_INFO") == self.path
            and meta.get("CONTENT_TYPE") == JSONParser.media_type
            and not meta.get("QUERY_STRING")
            and ORIGIN_HEADER in meta
            and "HTTP_TRANSFER_ENCODING" not in meta
            and len(length) <= MAX_LENGTH_DIGITS
            and length.isdecimal()
            and 0 < int(length) <= conf.max_body_bytes
        )

    def answer(self, request: Any) -> tuple[Headers, bytes] | None:
        """Headers and body, or None if Django must answer. Raises HeadersUnknown."""
        try:
            with Deadline(conf.visit_deadline_seconds):
                return self._track(request)
        except HeadersUnknown:
            raise
        except Exception:  # noqa: BLE001 - Django meets it again and answers it
            return None
        finally:
            # As Django does at the end of a request. Its signals would cost an eighth of
            # the visit, most of it for what a visit leaves alone.
            close_old_connections()

    def learn(self, request: Any, whole: DjangoAnswer, bare: DjangoAnswer) -> None:
        """Keeps the headers of Django's answers to ``question``, with the headers of
        the request and without, if they are the same.
        """
        if any(answer.status != 200 for answer in (whole, bare)):
            return
        origin = request.META[ORIGIN_HEADER]
        headers = _template(whole, origin)
        if headers == _template(bare, origin):
            self._headers[_key(request)] = headers
            return
        self._headers[_key(request)] = None
        logger.warning(
            "Visits do not take the short path: a middleware's headers depend on more "
            "than scheme, host and origin."
        )

    def _track(self, request: Any) -> tuple[Headers, bytes] | None:
        body = orjson.loads(request.content)
        brand = brand_for_origin(origin_of(request))
        address = address_of(request)
        visit = read_visit(body, request, address=address)
        template = self._headers_for(request)
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
                passed_on(request)[ANSWER] = answer
                return None
            content = JSONRenderer().render({"data": to_data(answer)})
        except Exception as refusal:
            # Counted and tried once: the viewset raises it instead of trying again.
            passed_on(request)[REFUSAL] = refusal
            raise
        values = {_ORIGIN: request.META[ORIGIN_HEADER], _LENGTH: str(len(content))}
        return [(name, values.get(value, value)) for name, value in template], content

    def _headers_for(self, request: HttpRequest) -> Headers | None:
        """Raises DisallowedHost. Only allowed hosts are cached.

        One request asks Django for them. If all did that come to a new process at once,
        it would have them late, if at all.
        """
        key = _key(request)
        if key not in self._headers:
            request.get_host()
            now = monotonic()
            if now < self._asked_at.get(key, -SECONDS_BETWEEN) + SECONDS_BETWEEN:
                return None
            if len(self._headers) >= MAX_HOSTS:
                if now < self._replaced_at + SECONDS_BETWEEN:
                    return None
                self._replaced_at = now
                self._headers.pop(next(iter(self._headers)), None)
            if len(self._asked_at) >= MAX_HOSTS:
                self._asked_at.clear()
            self._asked_at[key] = now
            raise HeadersUnknown
        return self._headers.get(key)


def question(request: HttpRequest) -> bytes:
    """The body of a visit that names nobody."""
    page = f"{request.META[ORIGIN_HEADER]}/"
    return orjson.dumps({"visit_url": page, "referrer_url": "", "user_agent": ""})


def _key(request: HttpRequest) -> _Key:
    return (request.scheme, *map(request.META.get, HOST_HEADERS))


def _template(answer: DjangoAnswer, origin: str) -> Headers:
    placeholders = {
        (ALLOW_ORIGIN, origin): _ORIGIN,
        ("content-length", str(len(answer.content))): _LENGTH,
    }
    return [
        (name, placeholders.get((name.lower(), value), value))
        for name, value in answer.headers
    ]
