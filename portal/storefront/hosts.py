"""Which of our hosts a request came to, and where the API is from there."""

from __future__ import annotations

from enum import Enum
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

SHOP_PREFIX = "shop."
HELP_PREFIX = "docs.shop."
SERVICE_PREFIX = "api."


class Site(Enum):
    """The faces of one process."""

    STOREFRONT = "storefront"
    HELP_CENTRE = "help_centre"
    SERVICE = "service"


def site_of(request: HttpRequest) -> Site:
    host = request.get_host().lower()
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
    host = request.get_host().lower()
    for prefix in (HELP_PREFIX, SHOP_PREFIX):
        if host.startswith(prefix):
            host = SERVICE_PREFIX + host.removeprefix(prefix)
            break
    return f"{request.scheme}://{host}"
