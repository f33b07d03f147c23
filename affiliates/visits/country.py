"""The country that an address is in, by the GeoIP file of the host."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from affiliates.conf import conf

MAX_CACHED = 10_000
# The reader is not installed, the file not there, no such file, or not of this address.
UNUSABLE = (ImportError, OSError, RuntimeError, ValueError)


def country_of(ip: str) -> str:
    """Two letters, or nothing where there is no file or it does not know the address."""
    path = conf.geoip_file
    return _look_up(path, ip) if path else ""


@lru_cache(MAX_CACHED)
def _look_up(path: str, ip: str) -> str:
    try:
        found: Any = open_file(path).get(ip)
    except UNUSABLE:
        return ""
    country = (found or {}).get("country") or {}
    return str(country.get("iso_code", ""))[:2]


@lru_cache(1)
def open_file(path: str) -> Any:
    """Mapped into memory once: processes that begin later read a newer file."""
    import maxminddb

    return maxminddb.open_database(path)
