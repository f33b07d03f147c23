"""A client area's first two calls, through all that the host puts in front of ours.

Then who calls: visitors through a proxy, and pages that are refused.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.checks import WARNING
from django.http.request import validate_host
from django.test import AsyncClient, Client
from django.utils import timezone

from affiliates.admin_tools.columns import moment
from affiliates.admin_tools.naming import page_name, permission_to
from affiliates.brands.models.brand import Brand
from affiliates.brands.refused_origins import (
    ADDED_HOST,
    RefusedHost,
    hosts_for,
    refused_hosts,
)
from affiliates.conf import conf
from affiliates.core.domains import client_area_url
from affiliates.encrypted.addresses import HASHED
from affiliates.operations.health.findings import (
    AdminPage,
    Finding,
    error,
    information,
    warning,
)
from affiliates.operations.health.registry import Needs, Shown, register
from affiliates.operations.health.urls import endpoints, routes
from affiliates.outbox.http.client import Transport
from affiliates.outbox.http.types import Call, CallFailed
from affiliates.visits.models import Click

# So many visits come from more than one network.
VISITS = 100
VISIT = "AffiliateLinkVisitViewSet"
ANY_HOST = "localhost"
UNKNOWN_NAME = "a-name-that-nobody-has"
SCRIPT = re.compile(rb"<script[^>]*\breferral", re.IGNORECASE)
SHOWN_HOSTS = 5
# Of our own calls: what the host's log says of them would be taken for a visitor's.
TRIAL = {"x-affiliates-trial": "1"}
GUIDE = AdminPage("admin:affiliates_brand_guide", "affiliates.view_brand")

ClientCall = Callable[..., Any]


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


@register(Needs.REQUESTS)
def link_pages(now: datetime) -> Iterator[Finding]:
    """Opens the page of an affiliate link in each client area, by a name nobody has."""
    brands = Brand.objects.filter(is_active=True, own_program=True)
    for brand in brands.prefetch_related("domains"):
        for domain in brand.domains.all():
            area = client_area_url(
                [domain.to_entry()], require_https=brand.require_https
            )
            if area is None:
                continue
            address = f"{area}{brand.link_place}/{UNKNOWN_NAME}"
            if fault := _page_fault(area, address.partition("#")[0]):
                yield warning("D036", f"{address}: {fault}", _PAGE_REMEDY)


_PAGE_REMEDY = (
    "Affiliate links lead there. Serve a page with referral.js at every such address, or "
    "change where the brand's links begin. A script inside a bundle is not seen from here."
)


def _page_fault(area: str, address: str) -> str:
    """Returns the problem of the page; "" if it has none, or is out of reach."""
    try:
        status, body = _page_of_ours(area, address) or _page_of_others(address)
    except (CallFailed, OSError):
        return ""
    if 300 <= status < 400:
        return ""  # A server that tracks the visit itself.
    if status != 200:
        return f"the page of affiliate links answers with status {status}."
    return "" if SCRIPT.search(body) else "the page has no script of the name referral."


def _page_of_ours(area: str, address: str) -> tuple[int, bytes] | None:
    """Status and content, if this process has the pages of the client area."""
    site = urlsplit(area)
    if not validate_host(site.hostname or "", _own_hosts()):
        return None
    client = Client(raise_request_exception=False)
    headers, is_secure = {"host": site.netloc, **TRIAL}, site.scheme == "https"
    with _refusals_unlogged():
        front, page = (
            client.get(path, headers=headers, secure=is_secure)
            for path in ("/", urlsplit(address).path)
        )
    return None if front.status_code == 404 else (page.status_code, page.getvalue())


def _page_of_others(address: str) -> tuple[int, bytes]:
    with Transport() as transport:
        answer = transport.send(Call(method="GET", url=address))
    return answer.status, answer.body


def _own_hosts() -> list[str]:
    return [host for host in settings.ALLOWED_HOSTS if host != "*"]


_REMEDY = (
    "Look at what stands in MIDDLEWARE, and at the log of this command for the "
    "traceback."
)


@contextmanager
def _refusals_unlogged() -> Iterator[None]:
    """Keeps refusals of our own calls out of the log; tracebacks stay in it."""
    logger = logging.getLogger("django.request")
    logger.addFilter(_is_worth_logging)
    try:
        yield
    finally:
        logger.removeFilter(_is_worth_logging)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    headers = getattr(getattr(record, "request", None), "headers", {})
    return record.levelno >= logging.ERROR or not headers.keys() & TRIAL.keys()


class _OneHostClient(AsyncClient):
    """Sends the Host header it is given; Django's sends its own before it as well."""

    async def request(self, **request: Any) -> Any:
        request["headers"] = list(dict(request["headers"]).items())
        return await super().request(**request)


@_refusals_unlogged()
def _fault(options: ClientCall, post: ClientCall, path: str, origin: str) -> str:
    """Returns the problem of a browser on the client area; "" if it has none."""
    try:
        return _refusal(options, post, path, origin)
    except Exception as fault:  # noqa: BLE001 - the host's middleware may raise anything
        return f"{path} is not answered, {type(fault).__name__}: {fault}."


def _refusal(options: ClientCall, post: ClientCall, path: str, origin: str) -> str:
    headers = {"host": _host(), "origin": origin, **TRIAL}
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
    allowed = _own_hosts()
    return allowed[0].removeprefix(".") if allowed else ANY_HOST


@register(Needs.DATABASE)
def visitors(now: datetime) -> Iterator[Finding]:
    """A proxy that is not counted makes one caller of everybody."""
    newest = Click.objects.order_by("-pk").values_list("ip_prefix", flat=True)[:VISITS]
    networks = list(newest)
    if len(networks) < VISITS or len(set(networks)) > 1 or not networks[0]:
        return
    if networks[0].startswith(HASHED):
        return
    if ip_network(networks[0], strict=False).is_private:
        yield warning(
            "D020",
            f"The last {VISITS} visits all came from {networks[0]}, which is a proxy of "
            f"yours: AFFILIATES_TRUSTED_PROXIES is {conf.trusted_proxies}.",
            "Set it to how many proxies of yours append to X-Forwarded-For.",
        )


@register(Needs.DATABASE, shown=Shown.DOCTOR | Shown.HEALTH, title="Refused pages")
def refused_origins(now: datetime) -> Iterator[Finding]:
    if hosts := refused_hosts(now=now):
        first = hosts[0].brand_id
        yield Finding(
            WARNING,
            "In the last 24 hours pages on these hosts called the API and were refused, "
            f"as they are no client area of an active brand: {_in_words(hosts)}.",
            code="D038",
            remedy="Add the hosts that are yours to the domains of their brand: its first "
            "steps in the admin offer each. Leave hosts that are not yours: they are "
            "forgotten a day after their last call.",
            page=GUIDE._replace(query={"brand": first} if first else {}),
        )


@register(Needs.BRAND, shown=Shown.FIRST_STEPS)
def hosts_to_add(brand: Brand) -> Iterator[Finding]:
    change = page_name("brand", "change"), permission_to("change", "brand")
    for refused in hosts_for(brand.pk, now=timezone.now())[:SHOWN_HOSTS]:
        yield Finding(
            WARNING,
            f"Pages on {refused.host} are refused, last {moment(refused.seen_at)}: it is "
            "no client area. Add it if the host is yours; otherwise leave it, and it is "
            "forgotten in a day.",
            title=f"Add {refused.host}",
            page=AdminPage(*change, pk=brand.pk, query={ADDED_HOST: refused.host}),
        )


def _in_words(hosts: Sequence[RefusedHost]) -> str:
    shown = ", ".join(refused.host for refused in hosts[:SHOWN_HOSTS])
    more = len(hosts) - SHOWN_HOSTS
    return f"{shown} and {more} more" if more > 0 else shown
