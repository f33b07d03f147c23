"""The demo's pages. What they show comes from the JSON API, but for the account's."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import translation
from django.utils.cache import add_never_cache_headers
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import conditional_page, require_safe
from django.views.i18n import JavaScriptCatalog

from affiliates.host_events import has_own_program
from portal import gateways
from portal.storefront.hosts import Site, api_base, brand_of, client_of_page, site_of

FRONT_PAGES = {
    Site.STOREFRONT: "shop",
    Site.HELP_CENTRE: "help",
    Site.SERVICE: "service",
}
# As long as the scripts that say them are kept.
TEXTS_SECONDS = 60


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
def affiliate_landing(request: HttpRequest, link_name: str) -> HttpResponse:
    """Where an affiliate link arrives; the script asks the service where to go on to."""
    require_storefront(request)
    return page(request, "landing", link_name=link_name)


@require_safe
def legal(request: HttpRequest) -> HttpResponse:
    require_storefront(request)
    return page(request, "legal")


@require_safe
@cache_control(public=True, max_age=TEXTS_SECONDS)
@conditional_page
def texts(request: HttpRequest, language: str) -> HttpResponseBase:
    """Returns the scripts' texts by the address alone, so any cache may keep them."""
    require_storefront(request)
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with translation.override(language):
        return JavaScriptCatalog.as_view(packages=["portal"])(request)


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
    is_storefront = site_of(request) is Site.STOREFRONT
    client = client_of_page(request)
    context = {
        "api_base": api_base(request),
        # Where the affiliate's area keeps the choice: it is of this host.
        "languages": dict(settings.LANGUAGES) if is_storefront else {},
        "storefront_origin": settings.STOREFRONT_ORIGIN,
        "client": client,
        "has_program": is_storefront and _has_program(request),
        "pays_online": gateways.default_gateway() != gateways.MANUAL,
        **values,
    }
    response = render(request, f"storefront/{name}.html", context, status=status)
    if client is not None:
        add_never_cache_headers(response)
    # Its scripts call the API.
    response.csp_sources = {"connect-src": [api_base(request)]}  # type: ignore[attr-defined] # for ContentPolicyMiddleware
    return response


def _has_program(request: HttpRequest) -> bool:
    try:
        return has_own_program(brand_of(request))
    except Http404:
        return False
