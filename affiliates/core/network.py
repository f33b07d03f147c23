"""Permitted targets of our requests: public https addresses, judged without a network.

People who write a tracking address are trusted with a brand, but not with the network
in which the service runs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from django.utils.translation import gettext_noop

from affiliates.core.urls import MAX_URL_LENGTH, HttpUrl, parse_http_url

HTTPS_PORTS = frozenset({443, 8443})

# Addresses that some Python releases wrongly call global.
_DENIED = tuple(
    ip_network(text)
    for text in (
        "168.63.129.16/32",  # the inside of every machine at Azure
        "192.0.0.0/24",  # protocol assignments, the metadata of Oracle's cloud too
        "192.88.99.0/24",  # 6to4 relays
        "64:ff9b:1::/48",  # NAT64 inside one network
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "fec0::/10",  # site-local
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")
_LOW_32_BITS = 0xFFFF_FFFF

_PRIVATE_NAMES = re.compile(
    r"(?:.*\.)?(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)"
)
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}")
_HOST_PORT = re.compile(r"(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):([1-9][0-9]{0,4})")
_BLANK = re.compile(r"[\x00-\x20\x7f]")
_MAX_NAME = 253
_MAX_PORT = 65_535


def is_public(address: str) -> bool:
    """Whether an IP address is public.

    An address that embeds an IPv4 address is judged by that one too. Text that is no
    address is not public.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return _is_ordinary(parsed)
    if not all(_is_ordinary(carried) for carried in _carried(parsed)):
        return False
    # These two stand for the IPv4 address that they embed, and nothing else.
    if parsed.ipv4_mapped is not None or parsed in _NAT64:
        return parsed.scope_id is None
    return parsed.scope_id is None and _is_ordinary(parsed)


def _is_ordinary(address: IPv4Address | IPv6Address) -> bool:
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    return not any(
        address in network for network in _DENIED if network.version == address.version
    )


def _carried(address: IPv6Address) -> Iterator[IPv4Address]:
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _NAT64 or address in _COMPATIBLE:
        yield IPv4Address(int(address) & _LOW_32_BITS)


def is_host_port(entry: str) -> bool:
    """Whether the text is a ``host:port`` for AFFILIATES_TRACKING_ALLOWED_HOSTS."""
    match = _HOST_PORT.fullmatch(entry)
    return match is not None and int(match[1]) <= _MAX_PORT


def is_allowed_host(url: HttpUrl, allowed_hosts: Collection[str]) -> bool:
    """Whether the operator has allowed calls to this host and port."""
    return f"{url.hostname}:{port_of(url)}" in allowed_hosts


def port_of(url: HttpUrl) -> int:
    if url.port:
        return int(url.port)
    return 443 if url.protocol == "https:" else 80


def parse_target(
    text: str, *, allowed_hosts: Collection[str], limit: int = MAX_URL_LENGTH
) -> HttpUrl:
    """The URL, if its text shows no reason against calling it.

    Raises ValueError, which names at most the host of the URL.
    """
    if len(text) > limit:
        raise ValueError(f"The address is longer than {limit} characters.")
    url = parse_http_url(text, limit=limit)
    if url is None or not url.hostname:
        raise ValueError(
            gettext_noop("Enter the full address, beginning with https://.")
        )
    if url.credentials:
        raise ValueError(
            gettext_noop("The address must not hold a user name or a password.")
        )
    if is_allowed_host(url, allowed_hosts):
        return url
    if url.protocol != "https:":
        raise ValueError(gettext_noop("The address must begin with https://."))
    if url.is_address:
        raise ValueError(
            gettext_noop("The address must name its host, not give an IP address.")
        )
    if port_of(url) not in HTTPS_PORTS:
        raise ValueError(
            gettext_noop(
                "The address must use the port 443 or 8443; leave the port out for 443."
            )
        )
    return url


def check_address(address: str, *, allowed_hosts: Collection[str]) -> None:
    """Checks a tracking address before it is stored.

    Raises ValueError with a sentence for the person who wrote it. The addresses that
    its name resolves to can change, so they are checked at each call.
    """
    url = parse_target(address, allowed_hosts=allowed_hosts)
    if _BLANK.search(address):
        raise ValueError(gettext_noop("The address must not hold blanks."))
    if url.search or url.hash:
        raise ValueError(gettext_noop("The address must end before any ? or #."))
    if is_allowed_host(url, allowed_hosts):
        return
    if _PRIVATE_NAMES.fullmatch(url.hostname):
        raise ValueError(
            gettext_noop(
                "The address names a host inside one network only. "
                "Enter a public one, such as hooks.example.com."
            )
        )
    if len(url.hostname) > _MAX_NAME or not _NAME.fullmatch(url.hostname):
        raise ValueError(
            gettext_noop(
                "The address names no public host. Enter one such as hooks.example.com."
            )
        )
