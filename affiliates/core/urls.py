"""URLs read as a browser reads them (the WHATWG URL standard, through ada)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NamedTuple
from urllib.parse import unquote_plus

import ada_url

MAX_URL_LENGTH = 8192

# A normalised http(s) address, as ada's always is, has exactly these parts.
PARTS = re.compile(
    r"(https?:)//(?:([^/?#@]*)@)?(\[[^\]]*\]|[^/:?#]*)(?::([0-9]+))?"
    r"(/[^?#]*)(\?[^#]*)?(#.*)?"
)
# An address that normalising leaves as it is, which most are, without a call into C:
# plain host whose last label is no number, no "." segment, only RFC 3986 characters.
# Runs and escapes take turns, so that a long one costs one pass: possessive quantifiers
# would say so, but Python 3.11.2 matches them wrongly.
NORMAL = re.compile(
    r"(https?:)//()(?![^/:]*xn--)((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*)"
    r"(?::(?!(?:80|443)/)([1-9][0-9]{0,3}))?"
    r"((?:/(?!\.|%2[eE])[\w.~!$&'()*+,;=:@-]*(?:%[0-9A-Fa-f]{2}[\w.~!$&'()*+,;=:@-]*)*)+)"
    r"(\?[\w.~!$&()*+,;=:@/?-]*(?:%[0-9A-Fa-f]{2}[\w.~!$&()*+,;=:@/?-]*)*)?"
    r"(#[\w.~!$&'()*+,;=:@/?-]*(?:%[0-9A-Fa-f]{2}[\w.~!$&'()*+,;=:@/?-]*)*)?",
    re.ASCII,
)
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_PAIRS = re.compile(r"[^=&/]+=")
# Apps are named by their package or their number in the store, as in
# android-app://com.linkedin.android/.
_APP = re.compile(
    r"((?:android|ios)-app)://([a-z0-9._-]+)(?:[/?#].*)?", re.IGNORECASE | re.DOTALL
)


class HttpUrl(NamedTuple):
    """An http or https URL, its parts named as in browsers.

    Parsed once, because every access to ada's own object is another call into C.
    """

    href: str
    protocol: str
    credentials: str
    hostname: str
    port: str
    pathname: str
    search: str
    hash: str

    @property
    def host(self) -> str:
        return f"{self.hostname}:{self.port}" if self.port else self.hostname

    @property
    def origin(self) -> str:
        return f"{self.protocol}//{self.host}"

    @property
    def is_address(self) -> bool:
        """Whether the host is an IP address. A name never ends in a number."""
        return self.hostname.startswith("[") or bool(_IPV4.fullmatch(self.hostname))


def parse_http_url(
    text: str, *, base: HttpUrl | None = None, limit: int | None = MAX_URL_LENGTH
) -> HttpUrl | None:
    """The http or https URL that a browser reads in this text, or None.

    ``limit`` is of the text's length, None where its source is limited.
    """
    if limit is not None and len(text) > limit:
        return None
    if normal := NORMAL.fullmatch(text):
        return HttpUrl(text, *normal.groups(default=""))
    try:
        href = (
            ada_url.join_url(base.href, text) if base else ada_url.normalize_url(text)
        )
    except ValueError:  # also for a lone surrogate
        return None
    parts = PARTS.fullmatch(href)
    return None if parts is None else HttpUrl(href, *parts.groups(default=""))


def referring_site(referrer: str) -> str:
    """Returns the referrer's host or app; empty for a direct visit."""
    if app := _APP.fullmatch(referrer.strip()):
        return app[2].lower()
    url = parse_http_url(referrer) if referrer else None
    return "" if url is None else url.hostname


def referring_origin(referrer: str) -> str:
    """Returns the referrer without its path and query."""
    if app := _APP.fullmatch(referrer.strip()):
        return f"{app[1].lower()}://{app[2].lower()}/"
    url = parse_http_url(referrer)
    return "" if url is None else f"{url.origin}/"


def first_parameter(url: HttpUrl, name: str) -> str | None:
    """The parameter's first value, decoded once; the query beats the fragment."""
    value = _first_value(url.search[1:], name)
    if value is None and url.hash:
        value = _first_value(split_fragment(url.hash[1:])[1], name)
    return value


def without_parameters(
    url: HttpUrl,
    names: Collection[str],
    *,
    remove: Callable[[str, Collection[str]], str] | None = None,
) -> str:
    """The URL without these parameters; the rest stays byte for byte, in order.

    ``remove`` removes them from a query in another way than by their exact names.
    """
    remove = remove or _remove_pairs
    query = url.search[1:]
    path, fragment_query = split_fragment(url.hash[1:])
    kept, fragment_kept = remove(query, names), remove(fragment_query, names)
    if (kept, fragment_kept) == (query, fragment_query):
        return url.href
    copy = ada_url.URL(url.href)
    copy.search = f"?{kept}" if kept else ""
    fragment = path + fragment_kept if fragment_kept else path.removesuffix("?")
    copy.hash = f"#{fragment}" if fragment else ""
    return copy.href


def at_rest(target: str, page: HttpUrl) -> str:
    """The target; with an empty fragment if it is the page itself.

    A browser redirected to its own page reloads it endlessly, unless the address has a
    fragment.
    """
    is_here = "#" not in target and page.href.removesuffix("#") == target
    return f"{target}#" if is_here else target


def origin_host_port(url: HttpUrl) -> tuple[str, int | None]:
    """Host and port; the port is None for the default of the URL's scheme."""
    return url.hostname, int(url.port) if url.port else None


def _first_value(query: str, name: str) -> str | None:
    # Most URLs lack most parameters; only percent-encoding can hide a name.
    if name not in query and "%" not in query:
        return None
    # Not ada's URLSearchParams: it raises on %a0 and other invalid UTF-8.
    for pair in query.split("&"):
        if pair and name_of(pair) == name:
            return unquote_plus(pair.partition("=")[2], errors="replace")
    return None


def split_fragment(fragment: str) -> tuple[str, str]:
    """The part before the fragment's own query, and that query.

    ``#/plans?aid=1`` has one after the question mark; ``#aid=1`` is one.
    """
    path, mark, query = fragment.partition("?")
    if mark:
        return path + mark, query
    if _PAIRS.match(fragment):
        return "", fragment
    return fragment, ""


def _remove_pairs(query: str, names: Collection[str]) -> str:
    pairs = query.split("&")
    return "&".join(pair for pair in pairs if name_of(pair) not in names)


def name_of(pair: str) -> str:
    name = pair.partition("=")[0]
    # Most names are plain, and reading them costs a visit twice as much.
    is_plain = "%" not in name and "+" not in name
    return name if is_plain else unquote_plus(name, errors="replace")
