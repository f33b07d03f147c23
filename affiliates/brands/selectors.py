"""Brands as this process knows them: a snapshot that is never older than 5 seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from affiliates.brands.models import AttributionPolicyVersion, Brand, ConfigVersion
from affiliates.brands.rules import BrandConfig, PolicyVersion
from affiliates.conf import conf
from affiliates.core.domains import Origin, parse_origin
from affiliates.errors import InvalidInput, NotAllowed, NotFound


@dataclass(frozen=True, slots=True)
class _Snapshot:
    version: UUID | None
    by_id: dict[int, BrandConfig]
    by_host: dict[tuple[str, int | None], BrandConfig]


class _Cache:
    """The latest snapshot and when the database was last asked whether it still holds."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._snapshot: _Snapshot | None = None
        self._checked_at = 0.0

    def get(self) -> _Snapshot:
        snapshot = self._snapshot
        if snapshot is not None and self._is_fresh():
            return snapshot
        with self._lock:
            if self._snapshot is not None and self._is_fresh():
                return self._snapshot
            self._snapshot = _refresh(self._snapshot)
            self._checked_at = time.monotonic()
            return self._snapshot

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._checked_at < conf.config_refresh_seconds


_cache = _Cache()


def configuration_version() -> UUID | None:
    """Changes whenever anything does that a visit is decided by."""
    return _cache.get().version


def get_brand(brand_id: int) -> BrandConfig:
    """The active brand with this id, or NotFound."""
    brand = _cache.get().by_id.get(brand_id)
    if brand is None:
        raise NotFound
    return brand


def brand_for_origin(header: str | None) -> BrandConfig:
    """The active brand whose client area sent this Origin header."""
    origin = parse_origin(header)
    if origin is None:
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


def brand_for_origin_or_only(header: str | None) -> BrandConfig:
    """Like brand_for_origin; without the header, the only active brand there is."""
    if header is None:
        brands = _cache.get().by_id
        if len(brands) == 1:
            return next(iter(brands.values()))
    return brand_for_origin(header)


def origin_brand_id(header: str | None) -> int | None:
    """The brand of the Origin header; None when there is no such header."""
    return None if header is None else brand_for_origin(header).id


def is_client_area(header: str) -> bool:
    """Whether the Origin header is a registered client area's."""
    origin = parse_origin(header)
    return origin is not None and _find(origin) is not None


def _find(origin: Origin) -> BrandConfig | None:
    return _cache.get().by_host.get((origin.host, origin.port))


def _refresh(old: _Snapshot | None) -> _Snapshot:
    version = ConfigVersion.objects.values_list("token", flat=True).first()
    if old is not None and old.version == version:
        return old
    brands = [
        brand.to_config(_latest_policy(brand))
        for brand in _with_latest_policy(Brand.objects.filter(is_active=True))
    ]
    return _Snapshot(
        version=version,
        by_id={brand.id: brand for brand in brands},
        by_host={
            (entry.host, entry.port): brand
            for brand in brands
            for entry in brand.domains
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
