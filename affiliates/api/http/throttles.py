"""Throttles callers of an endpoint by their network."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from affiliates.api.http.requests import address_of
from affiliates.api.throttling import services
from affiliates.api.throttling.words import limit_sentence
from affiliates.conf import conf
from affiliates.core.addresses import ip_prefix, is_loopback

WINDOW_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


class EndpointThrottle(BaseThrottle):
    """One counter for each caller, window and ``throttle_scope`` of the views."""

    counted_by = "from one network"

    def allow_request(self, request: Request, view: Any) -> bool:
        self._wait = count_call(self.scope_of(view), self.caller(request))
        return self._wait is None

    def wait(self) -> float | None:
        return self._wait

    def limit_sentence(self, view: Any) -> str:
        """Returns the limit for the API's description, "" without one."""
        rate = conf.throttle_rates.get(self.scope_of(view), "")
        return limit_sentence(rate, self.counted_by)

    def scope_of(self, view: Any) -> str:
        return str(view.throttle_scope)

    def caller(self, request: Request) -> str | None:
        return caller_at(address_of(request))


def count_call(scope: str, caller: str | None) -> float | None:
    """Counts a call. Returns the seconds to wait if there were too many, else None."""
    rate = conf.throttle_rates.get(scope, "")
    if not rate or caller is None:
        return None
    limit, seconds = _read(rate)
    return services.count_call(f"{scope}:{caller}", limit=limit, seconds=seconds)


@lru_cache
def _read(rate: str) -> tuple[int, int]:
    count, _, unit = rate.partition("/")
    return int(count), WINDOW_SECONDS[unit]


def caller_at(address: str) -> str | None:
    """The address's network. None, for a loopback address, is never throttled.

    Behind a proxy a loopback address is the proxy's own: counting it would lock
    everybody out together. See AFFILIATES_TRUSTED_PROXIES.
    """
    return None if is_loopback(address) else ip_prefix(address)
