"""The demo's pages. They hold no data: all of it comes from the JSON API."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from portal.storefront.hosts import Site, api_base, site_of

FRONT_PAGES = {
    Site.STOREFRONT: "shop",
    Site.HELP_CENTRE: "help",
    Site.SERVICE: "service",
}


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """``/`` of each host."""
    link = f"{settings.STOREFRONT_ORIGIN}/aff/{settings.DEMO_LINK_HASH}"
    demo_link = link if settings.DEMO_GATEWAY else ""
    return _page(request, FRONT_PAGES[site_of(request)], demo_link=demo_link)


@require_safe
def shop(request: HttpRequest) -> HttpResponse:
    """Every address of the shop: the browser chooses the view by the path."""
    _require_storefront(request)
    return _page(request, "shop")


@require_safe
def affiliate_landing(request: HttpRequest, link_hash: str) -> HttpResponse:
    """Where an affiliate link arrives; the script asks the service where to go on to."""
    _require_storefront(request)
    return _page(request, "landing", link_hash=link_hash)


@require_safe
def not_found(request: HttpRequest, path: str) -> HttpResponse:
    """An address the shop does not have."""
    _require_storefront(request)
    return _page(request, "not_found", status=404)


def _require_storefront(request: HttpRequest) -> None:
    if site_of(request) is not Site.STOREFRONT:
        raise Http404


def _page(
    request: HttpRequest, name: str, *, status: int = 200, **values: str
) -> HttpResponse:
    context = {
        "api_base": api_base(request),
        "storefront_origin": settings.STOREFRONT_ORIGIN,
        **values,
    }
    response = render(request, f"storefront/{name}.html", context, status=status)
    # Only our own files run on the page, and it talks to the API alone.
    response["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"img-src 'self' data:; connect-src {api_base(request)}; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    return response
