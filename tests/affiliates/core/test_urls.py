from __future__ import annotations

import re
from random import Random
from urllib.parse import parse_qsl

import ada_url
import pytest

from affiliates.core.urls import (
    MAX_URL_LENGTH,
    NORMAL,
    PARTS,
    HttpUrl,
    first_parameter,
    origin_host_port,
    parse_http_url,
    without_parameters,
)
from tests.affiliates.core.hostile import PIECES, known_redirects
from tests.cases import each
from tests.lengths import times

PAGE = "https://shop.example.com/store"
PARTLESS = HttpUrl(PAGE, "https:", "", "shop.example.com", "", "/store", "", "")


@pytest.mark.parametrize(
    ("_case", "text", "href"),
    [
        ("https", "https://shop.example.com/a?b#c", "https://shop.example.com/a?b#c"),
        ("http", "http://shop.example.com", "http://shop.example.com/"),
        ("upper case", "HTTPS://SHOP.example.COM/A", "https://shop.example.com/A"),
        ("idn", "https://münchen.de/", "https://xn--mnchen-3ya.de/"),
        ("spaces around", "  https://shop.example.com/ ", "https://shop.example.com/"),
    ],
)
def test_http_urls_are_read_as_a_browser_reads_them(_case, text, href):
    url = parse_http_url(text)

    assert url is not None
    assert url.href == href


@each(
    ("_case", "text"),
    [
        ("empty", ""),
        ("no scheme", "shop.example.com/store"),
        ("relative", "/store"),
        ("protocol-relative", "//shop.example.com/"),
        ("script", "javascript:alert(1)"),
        ("data", "data:text/html,x"),
        ("ftp", "ftp://shop.example.com/"),
        ("websocket", "wss://shop.example.com/"),
        ("blob", "blob:https://shop.example.com/0"),
        ("no host", "https://"),
        ("bad port", "https://shop.example.com:99999/"),
        ("bad host", "https://exa mple.com/"),
        ("NUL in the host", "https://shop\0.example.com/"),
        ("lone surrogate", "https://shop.example.com/\ud800"),
        ("too long", PAGE + "?" + "a" * MAX_URL_LENGTH),
    ],
)
def test_everything_else_is_no_url(text):
    assert parse_http_url(text) is None


def test_the_longest_url_is_still_read():
    text = f"{PAGE}?".ljust(MAX_URL_LENGTH, "a")

    url = parse_http_url(text)

    assert url is not None
    assert url.href == text


# Beside hostile.py's: what addresses are made of that are almost normal.
NEARLY_NORMAL = (  # noqa: SIM905 - as a list it would take a page
    r"a b1 1 1a 0x7f 127 com localhost - -- a- xn-- . .. / /. /.. /.a ? # : :80 :443 "
    r":8000 :080 %2e %2E %41 %zz % @ ' ` ^ { | ~ _ ! $ & ( ) * + , ; = A é \ [::1]"
).split() + ["\t", "\n", " "]
STARTS = ("", "https://", "http://", "https://a.b", "https://a.b/", "http://a.b/?")


@pytest.mark.parametrize("base", [None, "http://u:p@example.org:81/x?y#z"])
@pytest.mark.parametrize("pieces", [PIECES, NEARLY_NORMAL], ids=["hostile", "near"])
def test_an_address_read_without_ada_is_one_that_ada_leaves_as_it_is(pieces, base):
    random = Random(7)  # noqa: S311 - to be repeated
    texts = [
        random.choice(STARTS) + "".join(random.choices(pieces, k=random.randrange(9)))
        for _ in range(times(20_000, long=400_000))
    ]
    texts += [start + value for value in known_redirects() for start in STARTS]

    unchanged = [text for text in texts if NORMAL.fullmatch(text)]

    assert [one for one in unchanged if _href_by_ada(one, base) != one] == []
    assert [_parts(one, NORMAL) for one in unchanged] == [
        _parts(one, PARTS) for one in unchanged
    ]
    assert len(set(unchanged)) > 500


def _href_by_ada(text: str, base: str | None) -> str:
    try:
        return ada_url.join_url(base, text) if base else ada_url.normalize_url(text)
    except ValueError:
        return "none"


def _parts(text: str, pattern: re.Pattern[str]) -> tuple[str, ...] | None:
    found = pattern.fullmatch(text)
    return found and found.groups(default="")


# The last column is what `new URL(..).searchParams.get("redirect")` answers.
@each(
    ("_case", "query", "value"),
    [
        ("absent", "", None),
        ("another", "?next=/a", None),
        ("plain", "?redirect=/plans", "/plans"),
        ("encoded once", "?redirect=https%3A%2F%2Fa.com%2F", "https://a.com/"),
        ("encoded twice", "?redirect=%252Fplans", "%2Fplans"),
        ("first of two", "?redirect=/a&redirect=/b", "/a"),
        ("first of two is empty", "?redirect=&redirect=/b", ""),
        ("no equals sign", "?redirect", ""),
        ("no equals sign, then a value", "?redirect&redirect=/b", ""),
        ("plus is a space", "?redirect=/a+b", "/a b"),
        ("encoded plus", "?redirect=/a%2Bb", "/a+b"),
        ("equals signs in the value", "?redirect=/a?b=c=d", "/a?b=c=d"),
        ("encoded name", "?%72edirect=/a", "/a"),
        ("encoded ampersand", "?redirect=/a%26b=c", "/a&b=c"),
        ("plain ampersand ends the value", "?redirect=/a?x=1&y=2", "/a?x=1"),
        ("semicolon does not separate", "?a=1;redirect=/a", None),
        ("semicolon in the value", "?redirect=/a;b", "/a;b"),
        ("case-sensitive", "?Redirect=/a&REDIRECT=/b", None),
        ("array spelling is another name", "?redirect[]=/a", None),
        ("space in the name is another name", "?redirect+=/a", None),
        ("invalid utf-8", "?redirect=/%a0", "/\ufffd"),
        ("two invalid bytes", "?redirect=%c3%28", "\ufffd("),
        ("broken percent sign", "?redirect=/100%", "/100%"),
        ("broken hex", "?redirect=/%zz", "/%zz"),
        ("tab in the address is dropped", "?redi\trect=/a", "/a"),
        ("encoded tab is kept", "?redirect=/%09/evil.com", "/\t/evil.com"),
        ("leading question mark", "??redirect=/a", None),
        ("empty pairs", "?&&redirect=/a&&", "/a"),
        ("trailing space is trimmed", "?redirect=/a ", "/a"),
        ("byte order mark is kept", "?redirect=%EF%BB%BF/a", "\ufeff/a"),
        ("non-ASCII", "?redirect=/münchen", "/münchen"),
        ("quote", "?redirect='/a'", "'/a'"),
    ],
)
def test_the_value_is_the_one_a_browser_gets(query, value):
    assert first_parameter(ada_url.URL(PAGE + query), "redirect") == value


@pytest.mark.parametrize("name", ["aid", "a b", "", "%", "é"])
def test_the_value_is_that_of_the_standard_library(name):
    random = Random(1)  # noqa: S311 - to be repeated
    pieces = [
        name,
        name,
        "aid",
        "=",
        "=",
        "&",
        "&",
        "+",
        "%",
        "%61id",
        "%a0",
        "é",
        ";",
        "b",
    ]
    queries = ["".join(random.choices(pieces, k=8)) for _ in range(2_000)]

    values = [
        first_parameter(PARTLESS._replace(search=f"?{one}"), name) for one in queries
    ]

    assert values == [
        dict(reversed(parse_qsl(one, keep_blank_values=True, errors="replace"))).get(
            name
        )
        for one in queries
    ]
    assert len(set(values)) > 50


@each(
    ("_case", "suffix", "value"),
    [
        ("fragment route", "#/store?aid=7", "7"),
        ("hashbang route", "#!/store?aid=7", "7"),
        ("fragment of pairs", "#aid=7", "7"),
        ("later pair", "#tab=2&aid=7", "7"),
        ("first of two", "#aid=7&aid=8", "7"),
        ("query beats fragment", "?aid=1#aid=7", "1"),
        ("empty in the query beats fragment", "?aid=#aid=7", ""),
        ("another in the query", "?ref=1#/x?aid=7", "7"),
        ("decoded once", "#aid=%2541", "%41"),
        ("anchor", "#aid", None),
        ("route without a query", "#/aid=7", None),
        ("route that holds the name", "#/store/aid=7", None),
        ("only after the first question mark", "#aid=7?x=1", None),
    ],
)
def test_a_fragments_query_counts_when_the_real_one_has_none(suffix, value):
    assert first_parameter(ada_url.URL(PAGE + suffix), "aid") == value


@each(
    ("_case", "suffix", "rest"),
    [
        ("nothing to remove", "?a=1#top", "?a=1#top"),
        ("nothing at all", "", ""),
        ("only parameter", "?aid=1", ""),
        ("order kept", "?z=1&aid=2&a=3", "?z=1&a=3"),
        ("every occurrence", "?aid=1&a=2&aid=3", "?a=2"),
        ("several names", "?aid=1&redirect=/x&a=2", "?a=2"),
        ("bytes kept", "?q=a+b%20c%2f&aid=1&r=%a0", "?q=a+b%20c%2f&r=%a0"),
        ("encoded name", "?%61id=1&a=2", "?a=2"),
        ("no equals sign", "?aid&a", "?a"),
        ("fragment stays", "?aid=1#top", "#top"),
        ("fragment route", "#/store?aid=1&a=2", "#/store?a=2"),
        ("fragment route emptied", "#/store?aid=1", "#/store"),
        ("fragment pairs", "#aid=1&tab=2", "#tab=2"),
        ("fragment pairs emptied", "#aid=1", ""),
        ("query and fragment", "?aid=1&a=2#/x?redirect=/y", "?a=2#/x"),
        ("another case is another name", "?AID=1", "?AID=1"),
        ("question mark in the query", "??x=1&aid=2", "??x=1"),
    ],
)
def test_named_parameters_go_and_the_rest_stays_as_it_was(suffix, rest):
    url = ada_url.URL(PAGE + suffix)

    assert without_parameters(url, ("aid", "redirect")) == PAGE + rest
    assert url.href == PAGE + suffix


@pytest.mark.parametrize(
    ("_case", "text", "expected"),
    [
        ("https", "https://shop.example.com/", ("shop.example.com", None)),
        ("https default", "https://shop.example.com:443/", ("shop.example.com", None)),
        ("http default", "http://shop.example.com:80/", ("shop.example.com", None)),
        ("http on 443", "http://shop.example.com:443/", ("shop.example.com", 443)),
        ("port", "http://shop.localhost:8000/", ("shop.localhost", 8000)),
        ("ipv6", "http://[::1]:8000/", ("[::1]", 8000)),
    ],
)
def test_a_default_port_is_no_port(_case, text, expected):
    assert origin_host_port(ada_url.URL(text)) == expected
