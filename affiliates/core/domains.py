"""The hosts of a brand: how an operator writes them, and what each one permits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from ipaddress import ip_address

import ada_url
from publicsuffixlist import PublicSuffixList

from affiliates.core.urls import origin_host_port, parse_http_url

DEFAULT_PORTS = frozenset({80, 443})
MAX_PORT = 65_535

# Letters, digits and inner hyphens: the only host names that every parser reads alike.
HOST_NAME = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
    r"(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*"
)

_HOST_AND_PORT = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(?::([^:]*))?")
_NAME_AS_TYPED = re.compile(r"[A-Za-z0-9.\-\u0080-\U0010ffff]+|\[.*\]")
_PORT = re.compile(r"[0-9]{1,5}")
_MISTAKES = (
    (re.compile(r"\A\Z"), "Enter a host such as shop.example.com."),
    (re.compile(r"://"), "Leave out the scheme: shop.example.com, without https://."),
    (re.compile(r"[/?#\\]"), "Leave out the path: shop.example.com, without a slash."),
    (re.compile(r"@"), "Leave out the user name: shop.example.com, without an @."),
    (
        re.compile(r"\*"),
        "Leave out the wildcard: write example.com and tick 'include subdomains'.",
    ),
    (re.compile(r"\s"), "Leave out spaces and line breaks inside the host."),
    (
        re.compile(r"_"),
        "An underscore is not allowed in a host: use letters, digits and hyphens.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainEntry:
    """One host of a brand: lower-case ASCII, ``port`` None for the default ports."""

    host: str
    port: int | None
    is_client_area: bool = False
    is_redirect_target: bool = False
    include_subdomains: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A page's origin; ``port`` is None for the default of its scheme."""

    scheme: str
    host: str
    port: int | None


def canonical_host(text: str) -> str:
    """An operator's input in its stored form: ``host`` or ``host:port``.

    Lower-case ASCII (punycode). Ports 80 and 443 are dropped: an entry without a port
    stands for both, and two spellings of one host must not belong to two brands.
    Raises ValueError with a message for the operator.
    """
    typed = text.strip()
    for mistake, advice in _MISTAKES:
        if mistake.search(typed):
            raise ValueError(advice)
    parts = _HOST_AND_PORT.fullmatch(typed)
    if parts is None:
        raise ValueError(
            "Write the host as shop.example.com or localhost:8000; an IPv6 address "
            "in brackets, as in [::1]:8000."
        )
    port = _canonical_port(parts[2])
    host = _ascii_host(parts[1], has_port=port is not None)
    return host if port is None else f"{host}:{port}"


def canonical_domains(text: str) -> str:
    """An operator's list of domains in its stored form: sorted, one a line.

    Raises ValueError with a message for the operator.
    """
    return "\n".join(
        sorted({_registrable(host) for host in re.split(r"[\s,;]+", text) if host})
    )


def domain_above(host: str, domains: Collection[str]) -> str | None:
    """The one of these domains that the host is at or below, or None."""
    labels = host.split(".")
    above = (".".join(labels[first:]) for first in range(len(labels)))
    return next((host for host in above if host in domains), None)


def split_host(host: str) -> tuple[str, int | None]:
    """Host and port of a value that ``canonical_host`` returned."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host, None
    return name, int(port)


def international_name(host: str) -> str:
    """The name that the punycode of a host stands for; "" if it is none."""
    name, _ = split_host(host)
    shown = ada_url.idna_to_unicode(name)
    # ada-url before 4.0 decodes invalid punycode too, which no name is written as.
    is_name = shown != name and ada_url.idna_to_ascii(shown) == name.encode()
    return shown if is_name else ""


def is_public_suffix(host: str) -> bool:
    """Whether anyone can register names below this host (com, co.uk, github.io).

    True for any single label, as an unknown top-level domain, except localhost.
    """
    name, _ = split_host(host)
    return name != "localhost" and _public_suffixes().is_public(name)


def registrable_domain(host: str) -> str:
    """The part of the host that somebody registered, or the host without its port."""
    name, _ = split_host(host)
    return _public_suffixes().privatesuffix(name) or name


@lru_cache(maxsize=1024)
def parse_origin(header: str | None) -> Origin | None:
    """The Origin header's value, only when written exactly as browsers write it."""
    url = parse_http_url(header) if header else None
    if url is None or url.origin != header:
        return None
    host, port = origin_host_port(url)
    return Origin(scheme=url.protocol.removesuffix(":"), host=host, port=port)


def entry_allows_origin(entry: DomainEntry, origin: Origin) -> bool:
    """Whether pages of this origin belong to the entry's brand: this exact host.

    An entry without a port stands for every port of its host.
    """
    return (
        entry.is_client_area
        and origin.host == entry.host
        and entry.port in (None, origin.port)
    )


def entry_allows_redirect(entry: DomainEntry, host: str, port: int | None) -> bool:
    """Whether visitors may be sent to this host."""
    return entry.is_redirect_target and entry_covers(entry, host, port)


def entry_covers(entry: DomainEntry, host: str, port: int | None) -> bool:
    """Whether this is the entry's host or one below it (``port`` None: default)."""
    return port == entry.port and _covers_host(entry, host)


def entry_has_page(entry: DomainEntry, host: str, port: int | None) -> bool:
    """Like entry_covers; without a port the entry stands for every port of its host."""
    return entry.port in (None, port) and _covers_host(entry, host)


def _covers_host(entry: DomainEntry, host: str) -> bool:
    return host == entry.host or (
        entry.include_subdomains and host.endswith(f".{entry.host}")
    )


def client_area_url(
    entries: Iterable[DomainEntry], *, require_https: bool = False, origin: str = ""
) -> str | None:
    """The address of the client area with this origin's host, or else of the first.

    The scheme is the brand's and never the origin's, because a caller writes that: https
    unless the host has a port and the brand does not require https.
    """
    areas = [entry for entry in entries if entry.is_client_area]
    parsed = parse_origin(origin)
    same = (row for row in areas if parsed and entry_allows_origin(row, parsed))
    area = next(same, areas[0] if areas else None)
    if area is None:
        return None
    if area.port is None:
        return f"https://{area.host}"
    return f"{'https' if require_https else 'http'}://{area.host}:{area.port}"


def _registrable(typed: str) -> str:
    try:
        domain, port = split_host(canonical_host(typed))
    except ValueError as error:
        raise ValueError(f"{typed}: {error}") from None
    if port is not None:
        raise ValueError(f"{typed}: leave out the port.")
    if is_public_suffix(domain):
        raise ValueError(f"{typed}: anyone can register names below it.")
    return domain


def _canonical_port(text: str | None) -> int | None:
    if text is None:
        return None
    if not (_PORT.fullmatch(text) and 1 <= int(text) <= MAX_PORT):
        raise ValueError(
            f"The port must be a number from 1 to {MAX_PORT}, as in localhost:8000."
        )
    port = int(text)
    return None if port in DEFAULT_PORTS else port


def _ascii_host(name: str, *, has_port: bool) -> str:
    if not _NAME_AS_TYPED.fullmatch(name):
        raise ValueError("Use letters, digits, hyphens and dots only.")
    try:
        url = ada_url.URL(f"http://{name}/")
    except ValueError:
        raise ValueError("This is not a host name: check its spelling.") from None
    host = url.hostname
    if url.host_type != ada_url.HostType.DEFAULT:
        return _development_address(host, typed=name, has_port=has_port)
    if host.endswith("."):
        raise ValueError("Leave out the dot at the end: shop.example.com.")
    if "" in host.split("."):
        raise ValueError("There is nothing between two dots: check the spelling.")
    if not HOST_NAME.fullmatch(host):
        raise ValueError(
            "Between the dots of a host are 1 to 63 letters, digits and inner "
            "hyphens, 253 characters in all."
        )
    return host


def _development_address(host: str, *, typed: str, has_port: bool) -> str:
    if typed.lower() != host:
        raise ValueError(f"Write this IP address as {host}.")
    if not has_port and not ip_address(host.strip("[]")).is_loopback:
        raise ValueError(
            "Enter a host name; an IP address is for development only and needs its "
            f"port, as in {host}:8000."
        )
    return host


@cache
def _public_suffixes() -> PublicSuffixList:
    return PublicSuffixList()
