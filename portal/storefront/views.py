"""The demo's pages. What they show comes from the JSON API, but for the account's."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from portal.clients.sessions import client_of_session
from portal.storefront.hosts import Site, api_base, site_of

FRONT_PAGES = {
    Site.STOREFRONT: "shop",
    Site.HELP_CENTRE: "help",
    Site.SERVICE: "service",
}


@require_safe
@ensure_csrf_cookie
def front(request: HttpRequest) -> HttpResponse:
    """``/`` of each host."""
    link = f"{settings.STOREFRONT_ORIGIN}/aff/{settings.DEMO_LINK_HASH}"
    demo_link = link if settings.DEMO_GATEWAY else ""
    return page(request, FRONT_PAGES[site_of(request)], demo_link=demo_link)


# The shop's script sends the cookie's value with what it posts to /login and the like.
@require_safe
@ensure_csrf_cookie
def shop(request: HttpRequest) -> HttpResponse:
    """Every address of the shop: the browser chooses the view by the path."""
    require_storefront(request)
    return page(request, "shop")


@require_safe
def affiliate_landing(request: HttpRequest, link_hash: str) -> HttpResponse:
    """Where an affiliate link arrives; the script asks the service where to go on to."""
    require_storefront(request)
    return page(request, "landing", link_hash=link_hash)


@require_safe
def not_found(request: HttpRequest, path: str) -> HttpResponse:
    """An address the shop does not have."""
    require_storefront(request)
    return page(request, "not_found", status=404)


def require_storefront(request: HttpRequest) -> None:
    if site_of(request) is not Site.STOREFRONT:
        raise Http404


def page(
    request: HttpRequest, name: str, *, status: int = 200, **values: Any
) -> HttpResponse:
    context = {
        "api_base": api_base(request),
        "storefront_origin": settings.STOREFRONT_ORIGIN,
        "client": client_of_session(request),
        **values,
    }
    response = render(request, f"storefront/{name}.html", context, status=status)
    # Only our own files run on the page, and it talks to us and the API alone.
    response["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"img-src 'self' data:; connect-src 'self' {api_base(request)}; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    return response
