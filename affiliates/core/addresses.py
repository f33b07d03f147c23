"""Internet addresses, in full and as their networks."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

IPV4_PREFIX = 24
IPV6_PREFIX = 48
MAX_CACHED = 10_000

_LENGTHS = {4: IPV4_PREFIX, 6: IPV6_PREFIX}
_BYTES = {4: 4, 6: 16}


def client_address(*, peer: str, forwarded_for: str, trusted_proxies: int) -> str:
    """The client's address: the entry that the outermost trusted proxy appended.

    ``forwarded_for`` is the X-Forwarded-For header; entries before our own proxies'
    were written by the client and are not trusted.
    """
    if trusted_proxies == 0:
        return peer
    hops = [hop.strip() for hop in forwarded_for.split(",") if hop.strip()]
    return hops[-trusted_proxies] if len(hops) >= trusted_proxies else peer


@lru_cache(maxsize=MAX_CACHED)
def ip_prefix(address: str) -> str:
    """``203.0.113.0/24`` or ``2001:db8::/48``; empty if it is no address."""
    ip = _parse(address)
    if ip is None:
        return ""
    length = IPV4_PREFIX if ip.version == 4 else IPV6_PREFIX
    return str(ip_network((ip, length), strict=False))


@lru_cache(maxsize=MAX_CACHED)
def plain_address(address: str) -> str:
    """The whole address, an IPv4 one never in IPv6 form; empty if it is no address."""
    ip = _parse(address)
    return "" if ip is None else str(ip).partition("%")[0]


@lru_cache(maxsize=MAX_CACHED)
def is_loopback(address: str) -> bool:
    ip = _parse(address)
    return ip is not None and ip.is_loopback


def pack(text: str) -> bytes:
    """An address, or a network as ``ip_prefix`` writes it, in few bytes.

    Raises ValueError for any other text.
    """
    address, _, length = text.partition("/")
    ip = ip_address(address)
    if length and int(length) != _LENGTHS[ip.version]:
        raise ValueError(f"A network has {_LENGTHS[ip.version]} bits here.")
    # Networks end with zeros.
    return bytes([ip.version, bool(length)]) + ip.packed.rstrip(b"\0")


def unpack(data: bytes) -> str:
    version, is_network = data[0], data[1]
    ip = ip_address(data[2:].ljust(_BYTES[version], b"\0"))
    return f"{ip}/{_LENGTHS[version]}" if is_network else str(ip)


def _parse(address: str) -> IPv4Address | IPv6Address | None:
    try:
        ip = ip_address(address)
    except ValueError:
        return None
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    return ip
