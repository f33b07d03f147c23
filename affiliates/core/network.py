"""Where a request of ours may go: public addresses over https, judged without a network.

A tracking address is written by people who are trusted with a brand, not with the
network that the service runs in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from ipaddress import (
    IPv4Address,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from affiliates.core.language import gettext_noop
from affiliates.core.urls import MAX_URL_LENGTH, HttpUrl, parse_http_url

HTTPS_PORTS = frozenset({443, 8443})

# What ``ipaddress`` calls global in one release of Python or another, and is not.
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
    """Whether an IP address is one of the public Internet.

    An address that carries an IPv4 one is no better than what it carries. Text that is
    no address is not public.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return _is_ordinary(parsed)
    if not all(_is_ordinary(carried) for carried in _carried(parsed)):
        return False
    # These two mean the IPv4 address that they carry, and nothing else.
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
    """Whether the text is ``host:port`` as AFFILIATES_TRACKING_ALLOWED_HOSTS has it."""
    match = _HOST_PORT.fullmatch(entry)
    return match is not None and int(match[1]) <= _MAX_PORT


def is_allowed_host(url: HttpUrl, allowed_hosts: Collection[str]) -> bool:
    """Whether the operator has let this host and port be called as they are."""
    return f"{url.hostname}:{port_of(url)}" in allowed_hosts


def port_of(url: HttpUrl) -> int:
    if url.port:
        return int(url.port)
    return 443 if url.protocol == "https:" else 80


def parse_target(
    text: str, *, allowed_hosts: Collection[str], limit: int = MAX_URL_LENGTH
) -> HttpUrl:
    """The URL, when it is one that may be called as far as its text shows.

    Raises ValueError, which names no more of the URL than its host.
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
    """Judge a tracking address before it is stored.

    Raises ValueError with a sentence for the person who wrote it. What the name resolves
    to is judged whenever it is called, because that changes.
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
