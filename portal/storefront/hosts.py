"""Which of our hosts a request came to, and where the API is from there."""

from __future__ import annotations

from enum import Enum
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest

from affiliates.errors import InvalidInput, NotAllowed
from affiliates.host_events import brand_id_for_origin
from portal.clients.models import User
from portal.clients.sessions import client_of_session

SHOP_PREFIX = "shop."
HELP_PREFIX = "docs.shop."
SERVICE_PREFIX = "api."


class Site(Enum):
    """The faces of one process."""

    STOREFRONT = "storefront"
    HELP_CENTRE = "help_centre"
    SERVICE = "service"


def host_of(request: HttpRequest) -> str:
    """Returns the host without capitals or default port, which proxies may pass on."""
    default_port = ":443" if request.is_secure() else ":80"
    return request.get_host().lower().removesuffix(default_port)


def origin_of(request: HttpRequest) -> str:
    return f"{request.scheme}://{host_of(request)}"


def brand_of(request: HttpRequest) -> int:
    """That whose client area the page's host is. Raises Http404."""
    try:
        return brand_id_for_origin(origin_of(request))
    except (InvalidInput, NotAllowed) as error:
        raise Http404 from error


def client_of_page(request: HttpRequest) -> User | None:
    """The session's client, if the page is one of their brand's."""
    client = client_of_session(request)
    if client is None:
        return None
    try:
        brand_id = brand_of(request)
    except Http404:
        return None
    return client if client.brand_id == brand_id else None


def site_of(request: HttpRequest) -> Site:
    host = host_of(request)
    if host.startswith(HELP_PREFIX):
        return Site.HELP_CENTRE
    if (
        host.startswith(SHOP_PREFIX)
        or host == urlsplit(settings.STOREFRONT_ORIGIN).netloc
    ):
        return Site.STOREFRONT
    return Site.SERVICE


def api_base(request: HttpRequest) -> str:
    """``api.`` beside ``shop.``; every other host answers the API itself."""
    host = host_of(request)
    for prefix in (HELP_PREFIX, SHOP_PREFIX):
        if host.startswith(prefix):
            host = SERVICE_PREFIX + host.removeprefix(prefix)
            break
    return f"{request.scheme}://{host}"
