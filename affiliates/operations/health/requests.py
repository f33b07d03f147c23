"""A client area's first two calls, through all that the host puts in front of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.test import AsyncClient, Client

from affiliates.brands.models.brand import Brand
from affiliates.operations.health.findings import Finding, error, information
from affiliates.operations.health.registry import Needs, register
from affiliates.operations.health.urls import endpoints, routes

VISIT = "AffiliateLinkVisitViewSet"
ANY_HOST = "localhost"

Call = Callable[..., Any]


@register(Needs.REQUESTS)
def calls(now: datetime) -> Iterator[Finding]:
    """Nothing is written: the visit has no fields, and is refused."""
    path, origin = _visit_path(), _origin()
    if path is None or origin is None:
        return
    client = Client(raise_request_exception=False)
    if fault := _fault(client.options, client.post, path, origin):
        yield error("D019", fault, _REMEDY)
    waiting = _OneHostClient(raise_request_exception=False)
    options, post = async_to_sync(waiting.options), async_to_sync(waiting.post)
    if fault := _fault(options, post, path, origin):
        level = error if getattr(settings, "ASGI_APPLICATION", None) else information
        yield level("D019", f"Under ASGI: {fault}", _REMEDY)


_REMEDY = (
    "Look at what stands in MIDDLEWARE, and at the log of this command for the "
    "traceback."
)


class _OneHostClient(AsyncClient):
    """Sends the Host header it is given; Django's sends its own before it as well."""

    async def request(self, **request: Any) -> Any:
        request["headers"] = list(dict(request["headers"]).items())
        return await super().request(**request)


def _fault(options: Call, post: Call, path: str, origin: str) -> str:
    """Returns the problem of a browser on the client area; "" if it has none."""
    try:
        return _refusal(options, post, path, origin)
    except Exception as fault:  # noqa: BLE001 - the host's middleware may raise anything
        return f"{path} is not answered, {type(fault).__name__}: {fault}."


def _refusal(options: Call, post: Call, path: str, origin: str) -> str:
    headers = {"host": _host(), "origin": origin}
    asked = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    answer = options(path, headers=headers | asked, secure=True)
    if answer.headers.get("Access-Control-Allow-Origin") != origin:
        return f"OPTIONS {path} from {origin} is not permitted{_said(answer)}."
    answer = post(
        path, "{}", content_type="application/json", headers=headers, secure=True
    )
    if answer.headers.get("Access-Control-Allow-Origin") != origin:
        return f"POST {path}: {origin} may not read the answer{_said(answer)}."
    if answer.status_code != 400 or "json" not in answer.headers.get(
        "Content-Type", ""
    ):
        return f"POST {path} without its fields is not refused as it should be{_said(answer)}."
    return ""


def _said(answer: Any) -> str:
    raised = getattr(answer, "exc_info", None)
    why = f", {raised[0].__name__}: {raised[1]}" if raised and raised[0] else ""
    return f" (status {answer.status_code}{why})"


def _visit_path() -> str | None:
    for route in endpoints(routes()):
        if route.view.endswith(VISIT) and route.path is not None:
            return f"/{route.path}"
    return None


def _origin() -> str | None:
    for brand in Brand.objects.filter(is_active=True).prefetch_related("domains"):
        if url := brand.client_area_url():
            return url
    return None


def _host() -> str:
    """One that ALLOWED_HOSTS lets in."""
    allowed = [
        allowed_host for allowed_host in settings.ALLOWED_HOSTS if allowed_host != "*"
    ]
    return allowed[0].removeprefix(".") if allowed else ANY_HOST
