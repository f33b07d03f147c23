"""Whether browsers reach the pages of a brand here, and keep the cookie set on them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.core.checks import CheckMessage
from django.http.request import validate_host

from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.health.checks.urls import has_pages
from affiliates.health.doctor.findings import error

# What Django allows where DEBUG is on and no host is named.
WHILE_DEVELOPING = (".localhost", "127.0.0.1", "[::1]")


def allowed_hosts(now: datetime) -> Iterator[CheckMessage]:
    """Only where this host has pages of a client area: the area, or its own."""
    if not has_pages():
        return
    for brand, hosts in _client_areas():
        if hosts and not any(map(_is_allowed, hosts)):
            yield error(
                "D025",
                f"ALLOWED_HOSTS has no client area of the brand {brand} "
                f"({', '.join(hosts)}): its pages here are answered with 400.",
                "Add the host under which these pages are reached.",
            )


def cookie_domain(now: datetime) -> Iterator[CheckMessage]:
    domain = (conf.cookie_domain or "").removeprefix(".").lower()
    if not domain:
        return
    hosts = [host for _, found in _client_areas() for host in found]
    outside = [one for one in hosts if not _is_in(one, domain)]
    if len(outside) < len(hosts):
        # Client areas with a server of their own have another cookie.
        outside = [one for one in outside if _is_allowed(one)]
    if outside:
        yield error(
            "D026",
            f"AFFILIATES_COOKIE_DOMAIN is {conf.cookie_domain}: browsers refuse the "
            f"referral cookie on {', '.join(outside)}.",
            "Write a domain that these hosts are under, or leave it out: the cookie is "
            "then set for the page's own host.",
        )


def _client_areas() -> Iterator[tuple[Brand, list[str]]]:
    """The hosts of each brand's client areas, without their ports.

    Test brands are left out: their hosts need not exist.
    """
    counted = Brand.objects.filter(is_active=True, is_test=False)
    for brand in counted.prefetch_related("domains"):
        entries = [domain.to_entry() for domain in brand.domains.all()]
        yield brand, [one.host for one in entries if one.is_client_area]


def _is_allowed(host: str) -> bool:
    allowed = settings.ALLOWED_HOSTS
    if settings.DEBUG and not allowed:
        allowed = WHILE_DEVELOPING
    return validate_host(host, allowed)


def _is_in(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")
