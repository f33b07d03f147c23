"""Throttles callers: fixed windows, counted atomically in the cache.

While the cache does not answer, each process counts for itself.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from django.core.cache import cache
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from affiliates.api.http.breaker import Breaker
from affiliates.api.http.requests import address_of
from affiliates.conf import conf
from affiliates.core.addresses import ip_prefix, is_loopback

logger = logging.getLogger(__name__)

WINDOW_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
# Of those that a process counts for itself.
MAX_CALLERS = 100_000


class EndpointThrottle(BaseThrottle):
    """One counter for each caller, window and ``throttle_scope`` of the views."""

    def allow_request(self, request: Request, view: Any) -> bool:
        self._wait = count_call(self.scope_of(view), self.caller(request))
        return self._wait is None

    def wait(self) -> float | None:
        return self._wait

    def scope_of(self, view: Any) -> str:
        return str(view.throttle_scope)

    def caller(self, request: Request) -> str | None:
        return caller_at(address_of(request))


def count_call(scope: str, caller: str | None) -> float | None:
    """Counts a call. Returns the seconds to wait if there were too many, else None."""
    rate = conf.throttle_rates.get(scope, "")
    if not rate or caller is None:
        return None
    count, _, unit = rate.partition("/")
    window = WINDOW_SECONDS[unit]
    now = time.time()
    key = f"affiliates:throttle:{scope}:{caller}:{int(now // window)}"
    is_allowed = _increment(key, timeout=window) <= int(count)
    return None if is_allowed else window - now % window


def caller_at(address: str) -> str | None:
    """The address's network. None, for a loopback address, is never throttled.

    Behind a proxy a loopback address is the proxy's own: counting it would lock
    everybody out together. See AFFILIATES_TRUSTED_PROXIES.
    """
    return None if is_loopback(address) else ip_prefix(address)


def _increment(key: str, *, timeout: int) -> int:
    if cache_breaker.may_try():
        try:
            count = _increment_or_add(cache, key, timeout=timeout)
        except Exception:  # noqa: BLE001 - each cache backend has errors of its own
            if cache_breaker.fail():
                logger.warning("The cache does not answer", exc_info=True)
        else:
            cache_breaker.succeed()
            return count
    return _increment_or_add(_own_counts, key, timeout=timeout)


def _increment_or_add(counts: BaseCache, key: str, *, timeout: int) -> int:
    try:
        return counts.incr(key)
    except ValueError:  # the first of its window
        return 1 if counts.add(key, 1, timeout) else counts.incr(key)


cache_breaker = Breaker()
_own_counts = LocMemCache(
    "affiliates.throttle", {"OPTIONS": {"MAX_ENTRIES": MAX_CALLERS}}
)
