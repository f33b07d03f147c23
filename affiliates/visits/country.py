"""The country of an address, by the host's GeoIP file."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from affiliates.conf import conf

MAX_CACHED = 10_000
# Reader not installed, file missing, file invalid, or address of another kind.
UNUSABLE = (ImportError, OSError, RuntimeError, ValueError)


def country_of(ip: str) -> str:
    """Two letters; empty without a file or for an address that it does not know."""
    path = conf.geoip_file
    return _look_up(path, ip) if path else ""


@lru_cache(MAX_CACHED)
def _look_up(path: str, ip: str) -> str:
    try:
        record: Any = open_file(path).get(ip)
    except UNUSABLE:
        return ""
    country = (record or {}).get("country") or {}
    return str(country.get("iso_code", ""))[:2]


@lru_cache(1)
def open_file(path: str) -> Any:
    """Mapped into memory once: only processes that start later read a newer file."""
    import maxminddb

    return maxminddb.open_database(path)
