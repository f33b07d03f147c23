"""Rate limits of the portal's own endpoints."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from affiliates.extending import count_call, limit_sentence

IPV6_CLIENT_PREFIX = 64
UNKNOWN = "unknown"


class AddressThrottle(SimpleRateThrottle):
    """So many requests per address, scope and window, counted for all processes.

    Loopback is the operator's own machine.
    """

    def limit_sentence(self, view: APIView) -> str:
        """Returns the limit for the API's description, "" without one."""
        return limit_sentence(self.get_rate() or "", "from one address")

    def get_rate(self) -> str | None:
        rate = api_settings.DEFAULT_THROTTLE_RATES.get(str(self.scope))
        return None if rate is None else str(rate)

    def allow_request(self, request: Request, view: APIView) -> bool:
        requests, seconds = self.parse_rate(self.get_rate())
        key = self.get_cache_key(request, view)
        if requests is None or seconds is None or key is None:
            return True
        self.remaining = count_call(key, limit=requests, seconds=seconds)
        return self.remaining is None

    def wait(self) -> float | None:
        return self.remaining

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        client = client_network(self.get_ident(request) or "")
        if client is None:
            return None
        return self.cache_format % {"scope": self.scope, "ident": client}


class LoginThrottle(AddressThrottle):
    scope = "login"


class BasketThrottle(AddressThrottle):
    scope = "basket"


class CouponThrottle(AddressThrottle):
    """Coupons' codes can be guessed: entering one is limited as a login is."""

    scope = "coupon"


def client_network(address: str) -> str | None:
    """The address that counts as one client: an IPv6 one by its /64, loopback none."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return UNKNOWN
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if parsed.is_loopback:
        return None
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, IPV6_CLIENT_PREFIX), strict=False))
    return str(parsed)
