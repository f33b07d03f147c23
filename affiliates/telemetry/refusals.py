"""``affiliates.security``: a line about each refused request, and each refused redirect."""

from __future__ import annotations

import logging
from time import time
from typing import Any

from django.http import HttpRequest

from affiliates.core.domains import parse_origin
from affiliates.telemetry.logs import PerMinute, PerMinuteFilter

logger = logging.getLogger("affiliates.security")
logger.addFilter(PerMinuteFilter())
_redirects = PerMinute()

# By status: the code of an answer that names none.
REFUSED = {401: "not_authenticated", 403: "permission_denied", 429: "throttled"}
FORM_OF_ANOTHER_SITE = "csrf_failed"
UNKNOWN_ORIGIN, ORIGIN_HEADER = "origin_not_registered", "HTTP_ORIGIN"


def is_refusal(response: Any) -> bool:
    return response.status_code in REFUSED


def log_refusal(request: HttpRequest, response: Any) -> None:
    """Logs the route, as the address may hold a token. Logs a request only once."""
    if getattr(request, "has_logged_refusal", False):
        return
    request.has_logged_refusal = True  # type: ignore[attr-defined] # ours
    user = getattr(request, "user", None)
    extra = {
        "status": response.status_code,
        "code": _code(request, response),
        "method": request.method,
        "route": getattr(request.resolver_match, "route", ""),
        "user": str(user.pk) if user is not None and user.is_authenticated else "",
    }
    if extra["code"] == UNKNOWN_ORIGIN:
        origin = parse_origin(request.META.get(ORIGIN_HEADER))
        extra |= {} if origin is None else {"origin_host": origin.host}
    logger.warning("Request refused", extra=extra)


def log_refused_redirect(*, reason: str, brand_id: int) -> None:
    # Asked first: in a flood visits would pay for records that the filter leaves out.
    left_out = _redirects.take(time())
    if left_out is None:
        return
    extra: dict[str, Any] = {"reason": reason, "brand": brand_id}
    if left_out:
        extra["left_out"] = left_out
    logger.warning("Redirect refused", extra=extra)


def _code(request: HttpRequest, response: Any) -> str:
    if getattr(request, "has_failed_check", False):
        return FORM_OF_ANOTHER_SITE
    try:
        return str(response.data["errors"][0]["code"])
    except (AttributeError, KeyError, IndexError, TypeError):
        return REFUSED[response.status_code]
