"""Brands as this process knows them: a snapshot that is never older than 5 seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from affiliates.brands.config_cache import ConfigCache, unless_touched
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.brands.rules import BrandConfig, ChangeKind, PolicyVersion
from affiliates.conf import conf
from affiliates.core.domains import Origin, client_area_url, parse_origin
from affiliates.core.urls import origin_host_port, parse_http_url
from affiliates.errors import InvalidInput, NotAllowed, NotFound


@dataclass(frozen=True, slots=True)
class _Snapshot:
    by_id: dict[int, BrandConfig]
    only: BrandConfig | None
    by_host: dict[tuple[str, int | None], BrandConfig]


def get_brand(brand_id: int) -> BrandConfig:
    """The active brand with this id, or NotFound."""
    brand = _cache.get(None).by_id.get(brand_id)
    if brand is None or not brand.is_active:
        raise NotFound
    return brand


def reported_brand(brand_id: int) -> BrandConfig:
    """The brand that the host names, active or not.

    Raises NotFound for an id that no brand has.
    """
    brand = _cache.get(None).by_id.get(brand_id)
    # Another process may have made the brand within the last seconds.
    brand = brand or _read().by_id.get(brand_id)
    if brand is None:
        raise NotFound(
            "brand_not_found",
            f"No brand has the id {brand_id}: correct BRAND_ID, or wherever else the "
            "host keeps the id of its brand.",
        )
    return brand


def brand_for_origin(header: str | None) -> BrandConfig:
    """The active brand whose client area sent this Origin header."""
    origin = parse_origin(header)
    if origin is None:
        if header and is_client_area(f"https://{header}"):
            raise InvalidInput(
                "origin_without_scheme",
                f"The Origin header has no scheme: send https://{header}.",
            )
        raise InvalidInput(
            "origin_required",
            "Send the Origin header of the client area, such as https://shop.example.com.",
        )
    brand = _find(origin)
    if brand is None:
        raise NotAllowed(
            "origin_not_registered",
            "This origin is not a client area of any active brand. "
            "Add it to the brand's domains.",
        )
    return brand


def site_of(request: HttpRequest) -> str:
    """The address of the host that a page is asked for on, as its browser writes it.

    Proxies may add the default port to the Host header, or leave capitals in it.
    """
    site = f"{request.scheme}://{request.get_host()}"
    url = parse_http_url(site)
    return site if url is None else url.origin


def brand_of_page(request: HttpRequest) -> BrandConfig:
    """The active brand whose client area the page's host is."""
    return brand_for_origin(site_of(request))


def brand_of_link_host(request: HttpRequest) -> BrandConfig | None:
    """The active brand among whose domains the request's link host is, or None.

    Raises DisallowedHost.
    """
    if not conf.link_hosts:
        return None
    url = parse_http_url(site_of(request))
    if url is None or url.host not in conf.link_hosts:
        return None
    host = origin_host_port(url)
    return next(
        (
            brand
            for brand in _cache.get(None).by_id.values()
            for entry in brand.domains
            if brand.is_active and (entry.host, entry.port) == host
        ),
        None,
    )


def client_area_of(request: HttpRequest) -> str:
    """The address of the page's client area for links in e-mails. Raises NotAllowed."""
    site = site_of(request)
    brand = brand_for_origin(site)
    area = client_area_url(
        brand.domains, require_https=brand.require_https, origin=site
    )
    return area or ""


def brand_for_origin_or_only(header: str | None) -> BrandConfig:
    """Like brand_for_origin; without the header, the only active brand there is.

    Test brands count only where there is no other.
    """
    if header is not None:
        return brand_for_origin(header)
    only = None if _keeps_only_back.get() else _cache.get(None).only
    if only is None:
        raise InvalidInput(
            "origin_required",
            "There are several active brands, or none. Send the Origin header of a "
            "client area, such as https://shop.example.com; code of the portal names "
            "the brand by its id.",
        )
    return only


@contextmanager
def no_only_brand() -> Iterator[None]:
    """Behaves as if there were several brands, to show what a second one would break."""
    token = _keeps_only_back.set(True)
    try:
        yield
    finally:
        _keeps_only_back.reset(token)


def origin_brand_id(header: str | None) -> int | None:
    """The brand of the Origin header; None when there is no such header."""
    return None if header is None else brand_for_origin(header).id


def is_client_area(header: str) -> bool:
    """Whether the Origin header is a registered client area's."""
    origin = parse_origin(header)
    return origin is not None and _find(origin) is not None


def _find(origin: Origin) -> BrandConfig | None:
    """An entry without a port stands for those that no entry names."""
    by_host = _cache.get(None).by_host
    return by_host.get((origin.host, origin.port)) or by_host.get((origin.host, None))


def _load(key: None) -> dict[None, _Snapshot]:
    return {key: _read()}


def _read() -> _Snapshot:
    every = list(_with_latest_policy(Brand.objects.all()))
    by_id = {brand.pk: brand.to_config(_latest_policy(brand)) for brand in every}
    active = [brand for brand in every if brand.is_active]
    counted = [brand for brand in active if not brand.is_test] or active
    return _Snapshot(
        by_id=by_id,
        only=by_id[counted[0].pk] if len(counted) == 1 else None,
        by_host={
            (entry.host, entry.port): by_id[brand.pk]
            for brand in active
            for entry in by_id[brand.pk].domains
            if entry.is_client_area
        },
    )


def _with_latest_policy(brands: QuerySet[Brand]) -> QuerySet[Brand]:
    """In one statement: a brand saved between two would have terms of no version."""
    of_brand = AttributionPolicyVersion.objects.filter(brand=OuterRef("pk"))
    latest = of_brand.order_by("-number")
    return brands.annotate(
        policy_id=Subquery(latest.values("pk")[:1]),
        policy_number=Subquery(latest.values("number")[:1]),
        policy_digest=Subquery(latest.values("digest")[:1]),
    ).prefetch_related("domains")


def _latest_policy(brand: Any) -> PolicyVersion | None:
    if brand.policy_id is None:
        return None
    return PolicyVersion(
        id=brand.policy_id, number=brand.policy_number, digest=brand.policy_digest
    )


_keeps_only_back: ContextVar[bool] = ContextVar("keeps_only_back", default=False)
_cache = ConfigCache(_load, unless_touched(ChangeKind.BRAND))
