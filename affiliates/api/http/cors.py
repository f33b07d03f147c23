"""CORS by the brand table: the Origin of a client area may call the API.

Our views set their own headers. The middleware is for a host that has another such
middleware, or its own endpoints that client areas call.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from affiliates.api.http.requests import ORIGIN_HEADER, utc_now
from affiliates.brands import selectors as brands
from affiliates.brands.refused_origins import record_refused
from affiliates.conf import conf
from affiliates.db.deadlines.deadline import DatabaseAway, Deadline

CORS_PREFIX = "access-control-"
ALLOW_ORIGIN = "access-control-allow-origin"
EXPOSE_HEADERS = "access-control-expose-headers"
RETRY_AFTER, VISIT_ID = "Retry-After", "Visit-Id"
METHODS = "GET, POST, PATCH, PUT, DELETE, OPTIONS"
REQUEST_HEADERS = ("authorization", "content-type", "idempotency-key", "visit-id")
ASKED_HEADERS = "HTTP_ACCESS_CONTROL_REQUEST_HEADERS"
# RFC 9110's token, in lower case.
HEADER_NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+")
PREFLIGHT_MAX_AGE = "7200"


def by_brand_table(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view, which also answers preflights; client areas may read its answers."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if _is_preflight(request):
            return _answer_preflight(request)
        # Checked first: after a view has failed, the host's transaction may be broken.
        is_allowed = _is_allowed(request)
        return _answer(request, view(request, *args, **kwargs), is_allowed=is_allowed)

    answer.by_brand_table = True  # type: ignore[attr-defined] # what the middleware looks for
    return answer


class BrandCorsMiddleware(MiddlewareMixin):
    """Put it before every other CORS middleware: those decide on the host's paths only.

    If AFFILIATES_CORS_PATHS names paths of the host, the brand table decides there too.
    """

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if self.async_mode:
            return self._answer_async(request)
        if _is_preflight(request) and _is_covered(request):
            return _answer_preflight(request)
        return _overrule(request, self.get_response(request))

    async def _answer_async(self, request: HttpRequest) -> Any:
        if _is_preflight(request) and _is_covered(request):
            return await sync_to_async(_answer_preflight)(request)
        response = await self.get_response(request)
        return await sync_to_async(_overrule)(request, response)


def _is_preflight(request: HttpRequest) -> bool:
    return (
        request.method == "OPTIONS"
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META
    )


def _answer_preflight(request: HttpRequest) -> Any:
    response = HttpResponse(headers={"content-length": "0"})
    is_allowed = _is_allowed(request)
    if is_allowed:
        response["access-control-allow-headers"] = ", ".join(_headers_for(request))
        response["access-control-allow-methods"] = METHODS
        response["access-control-max-age"] = PREFLIGHT_MAX_AGE
    return _answer(request, response, is_allowed=is_allowed)


def _headers_for(request: HttpRequest) -> dict[str, None]:
    """Ours, and those that the page asks for: tracing tools add theirs to every call.

    None can do harm, as no answer depends on a browser's credentials.
    """
    asked = request.META.get(ASKED_HEADERS, "").lower().split(",")
    names = (name.strip() for name in asked)
    return dict.fromkeys((*REQUEST_HEADERS, *filter(HEADER_NAME.fullmatch, names)))


def _answer(request: HttpRequest, response: Any, *, is_allowed: bool) -> Any:
    if is_allowed:
        response[ALLOW_ORIGIN] = request.META[ORIGIN_HEADER]
        exposed = [name for name in (RETRY_AFTER, VISIT_ID) if name in response]
        if exposed:
            response[EXPOSE_HEADERS] = ", ".join(exposed)
    patch_vary_headers(response, ("origin",))
    return response


def _overrule(request: HttpRequest, response: Any) -> Any:
    """On its paths, replaces the decision of any other middleware."""
    if not _is_covered(request):
        return response
    for name in [
        header for header in response.headers if header.lower().startswith(CORS_PREFIX)
    ]:
        del response[name]
    return _answer(request, response, is_allowed=_is_allowed(request))


def _is_covered(request: HttpRequest) -> bool:
    if request.path_info.startswith(conf.cors_paths):
        return True
    match = request.resolver_match
    if match is None and _is_preflight(request):
        try:
            match = resolve(request.path_info)
        except Resolver404:
            return False
    return hasattr(match and match.func, "by_brand_table")


def _is_allowed(request: HttpRequest) -> bool:
    origin = request.META.get(ORIGIN_HEADER)
    if origin is None:
        return False
    try:
        with Deadline(conf.visit_deadline_seconds):
            is_allowed = brands.is_client_area(origin)
            if not is_allowed:
                # Here and not in a view: browsers ask first, and then send no visit.
                record_refused(origin, now=utc_now())
            return is_allowed
    except DatabaseAway:
        # The view meets the same fault and answers with it.
        return False
