"""The form of a link, and how an address is read for the affiliate that it names.

Nothing else says so: the visit, the script, the pages of links and the documentation are
made from it or checked against it. Names are read as people paste them. ``redirect`` is
never read here: the redirect guard reads it literally.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from urllib.parse import unquote_plus

from affiliates.core.redirects import MAX_TARGET_LENGTH, REDIRECT_PARAMETER
from affiliates.core.urls import (
    HttpUrl,
    name_of,
    parse_http_url,
    split_fragment,
    without_parameters,
)

LINK_WORD = "aff"
LINK_PLACE = f"/{LINK_WORD}"
# Patterns that Python and JavaScript read alike, without regard to case.
HASH = r"[0-9a-f]{40}"
# With a letter: the identifiers of other systems are often numbers.
SLUG = r"(?=[0-9-]*[a-z])[a-z0-9][a-z0-9-]{1,30}[a-z0-9]"
# It ends before the first character that neither may hold.
LINK_NAME = rf"(?:{HASH}|{SLUG})(?![0-9a-z])"
# In the path of a URL, after slashes and what else was copied along, or its escapes:
# spaces, quotes, brackets, invisible characters.
LINK_PAGE = rf"(?:^|/){LINK_WORD}/(?:%..|[^\w?])*({LINK_NAME})"
# In a decoded path: for the URLs of a client area whose pages Django makes.
LINK_ROUTE = rf"(?:^|/)(?i:{LINK_WORD}/\W*({LINK_NAME}))"
# In a client area; below "#" where a script chooses the view.
PLACE = rf"/(?:[\w.~-]+/)*(?:#!?/(?:[\w.~-]+/)*)?{LINK_WORD}"

_COPIED_ALONG = r"[\s/\"'<(\[{\u00ad\u180e\u200b-\u206f\ufe0f\ufeff]*"
_LINK = re.compile(LINK_PAGE, re.IGNORECASE)
_CODE = re.compile(rf"{_COPIED_ALONG}([0-9a-z_.-]+)", re.IGNORECASE)
_BEFORE_A_NAME = re.compile(_COPIED_ALONG)
END_OF_CODE = (".", "_", "-")
_END_OF_ROUTE = re.compile(r"[?=&]")
_SEPARATOR = re.compile(r"[;?]")
# Its separators belong to that other address.
_ADDRESS = re.compile(r"(?:https?(?::|%3a)|/|%2f)", re.IGNORECASE)
# What is left of an ampersand that was written for HTML: &amp; &#038; &#x26;
_ENTITY = re.compile(r"#?(?:amp|0*38|x0*26)?;?", re.IGNORECASE)
# An address may repeat its parameter thousands of times.
MAX_NAMES = 5


def named_texts(url: HttpUrl, *, parameter: str) -> Iterator[tuple[str, bool]]:
    """Texts in the place of a link's or affiliate's name; whether each is in a path.

    In their order: the path, the query, the fragment as a path, the fragment as a query.
    """
    return islice(_named_texts(url, parameter), MAX_NAMES)


def readings(text: str) -> Iterator[str]:
    """The names that a pasted text may mean, the text itself first."""
    yield text
    code = _CODE.match(text)
    if code is None:
        return
    if code[1] != text:
        yield code[1]
    if (shorter := code[1].rstrip("".join(END_OF_CODE))) not in ("", code[1]):
        yield shorter


def names_somebody(url: HttpUrl, *, parameter: str) -> bool:
    """Whether the address has a text in the place of a name."""
    return any(named_texts(url, parameter=parameter))


def is_link_page(url: HttpUrl, *, place: str = LINK_PLACE) -> bool:
    """Whether the page is below the place of the brand's links, or below ``/aff``."""
    page = f"{url.pathname}{url.hash}".lower()
    if LINK_PLACE not in page:
        return False
    places = (f"{LINK_PLACE}/", f"{place.lower()}/")
    return re.sub("/+", "/", page).startswith(places)


def has_link_path(path: str) -> bool:
    return _link_in(path) is not None


def without_names(
    url: HttpUrl, *, parameter: str, others: Collection[str]
) -> HttpUrl | None:
    """The URL without the parameters that named somebody; ``others`` are literal names."""
    remove = partial(_unnamed, parameter.lower())
    return parse_http_url(without_parameters(url, others, remove=remove), limit=None)


def other_pairs(url: HttpUrl, *, parameter: str, others: Collection[str]) -> list[str]:
    """The visitor's parameters, without those that named somebody and ``others``."""
    query = url.search[1:]
    if "?" in url.hash:
        query += f"&{split_fragment(url.hash[1:])[1]}"
    if not query:
        return []
    return [
        pair for pair in _unnamed(parameter.lower(), query, others).split("&") if pair
    ]


def with_pairs(target: str, pairs: Sequence[str]) -> str:
    """The target with those of the parameters that it lacks, as many as fit."""
    page = _page_at(target) if pairs else None
    if page is None:
        return target
    query = page.search[1:]
    names = {name_of(pair) for pair in query.split("&")}
    room = MAX_TARGET_LENGTH - len(page.href) + len(query) - 1
    for pair in pairs:
        longer = f"{query}&{pair}" if query else pair
        if name_of(pair) not in names and len(longer) <= room:
            query = longer
    is_longer = query != page.search[1:]
    return f"{page.origin}{page.pathname}?{query}{page.hash}" if is_longer else target


# Few addresses are the targets of most visits.
_page_at = lru_cache(maxsize=1_024)(parse_http_url)


def _named_texts(url: HttpUrl, parameter: str) -> Iterator[tuple[str, bool]]:
    if (name := _link_in(url.pathname)) is not None:
        yield name, True
    wanted = parameter.lower()
    for value in _values(url.search[1:], wanted):
        yield value, False
    if not url.hash:
        return
    if (name := _link_in(_END_OF_ROUTE.split(url.hash[1:], 1)[0])) is not None:
        yield name, True
    for value in _values(split_fragment(url.hash[1:])[1], wanted):
        yield value, False


def _link_in(path: str) -> str | None:
    # Most pages are no link's.
    if LINK_WORD not in path.lower():
        return None
    link = _LINK.search(path)
    return None if link is None else link[1]


def _values(query: str, wanted: str) -> Iterator[str]:
    if not _is_plain(query):
        parts = (part for pair in query.split("&") for part in _parts(pair))
        named = (part for part in parts if _names(part, wanted))
    elif wanted not in query.lower():
        return
    else:
        start = f"{wanted}="
        named = (pair for pair in query.split("&") if pair.lower().startswith(start))
    for pair in named:
        if value := unquote_plus(pair.partition("=")[2], errors="replace"):
            yield value


def _is_plain(query: str) -> bool:
    """Whether only "&" can separate parameters, and no name is hidden by an escape."""
    return not ("%" in query or ";" in query or "?" in query or "+" in query)


def _parts(pair: str) -> list[str]:
    """The pair, divided where ``;`` or a second ``?`` stands for the ampersand."""
    if ";" not in pair and "?" not in pair:
        return [pair]
    name, _, value = pair.partition("=")
    if name_of(name) == REDIRECT_PARAMETER or _ADDRESS.match(value):
        return [pair]
    return _SEPARATOR.split(pair)


def _names(part: str, wanted: str) -> bool:
    name = name_of(part).lower()
    if name == wanted:
        return True
    if not name.endswith(wanted):
        return False
    entity, semicolon, last = name.rpartition(";")
    return (
        not (semicolon and _ENTITY.fullmatch(entity) is None)
        and _BEFORE_A_NAME.sub("", last, count=1) == wanted
    )


def _unnamed(wanted: str, query: str, others: Collection[str]) -> str:
    kept: list[str] = []
    is_plain = _is_plain(query)
    for pair in query.split("&"):
        name = pair.partition("=")[0]
        if (name if is_plain else name_of(pair)) in others:
            continue
        if is_plain:
            if name.lower() != wanted:
                kept.append(pair)
            continue
        parts = _parts(pair)
        rest = [part for part in parts if not _names(part, wanted)]
        if len(rest) == len(parts):
            kept.append(pair)
        else:
            kept.extend(part for part in rest if not _ENTITY.fullmatch(part))
    return "&".join(kept)
