from __future__ import annotations

import itertools
import re

import pytest

from affiliates.core.domains import entry_allows_origin, parse_origin
from tests.affiliates.core.entries import entry
from tests.cases import each

HOME = "shop.example.com"
BRAND = (
    entry(HOME),
    entry("example.org", subdomains=True),
    entry("münchen.de"),
    entry("shop.localhost:8000"),
)
SCHEMES = ("https://", "http://")
# Around and inside the host, what scanners and attackers are known to try.
BEFORE = (
    *("evil.com", "evil.com.", "evil", "a.", ".", "-", "_", "user@", "user:pass@"),
    *(
        "evil.com@",
        "evil.com\\@",
        "evil.com%40",
        "evil.com#@",
        "evil.com?",
        "evil.com/",
    ),
    *(" ", "%20", "%00", "\0", "\t", "/", "\\", "//", "[", "*.", "null,", "https://"),
)
AFTER = (
    *(".", "..", ".evil.com", "evil.com", ".evil", "@evil.com", ":evil.com", "/"),
    *("/.evil.com", "\\.evil.com", "?.evil.com", "#.evil.com", "&.evil.com", "%"),
    *("%00.evil.com", "%0d%0aevil.com", "%2eevil.com", "%60.evil.com", "`.evil.com"),
    *(
        "{.evil.com",
        "}.evil.com",
        "!.evil.com",
        "_.evil.com",
        "-.evil.com",
        "|evil.com",
    ),
    *(
        "~.evil.com",
        "=.evil.com",
        "+.evil.com",
        "$.evil.com",
        "'.evil.com",
        '".evil.com',
    ),
    *(
        "(.evil.com",
        ").evil.com",
        ";.evil.com",
        ",.evil.com",
        "^.evil.com",
        "<.evil.com",
    ),
    *(":80", ":443", ":0", ":8000", ":8443", ":", ":65536", ":080", ": 80", " ", "\t"),
    *("\n", "\r\n", "\0", "\x0b.evil.com", "\xa0", "\u2028", "\ufeff", "。evil.com"),
    *(
        ", https://evil.com",
        " https://evil.com",
        ",null",
        "/store",
        "?x",
        "#x",
        "\ud800",
    ),
)
WHOLE = (
    *("", " ", "null", "NULL", "*", "undefined", "about:blank", "file://", "data:,"),
    *(HOME, f"//{HOME}", f"/{HOME}", f"https:{HOME}", f"https:/{HOME}", "https://"),
    *(f"https:///{HOME}", f"https:\\\\{HOME}", f"HTTPS://{HOME}", f"Https://{HOME}"),
    *(
        f"https://{HOME.upper()}",
        "https://Shop.example.com",
        "https://shop.example.cOm",
    ),
    *(
        f"ftp://{HOME}",
        f"ws://{HOME}",
        f"wss://{HOME}",
        f"file://{HOME}",
        f"x://{HOME}",
    ),
    *(f"javascript://{HOME}", f"chrome-extension://{HOME}", f"blob:https://{HOME}"),
    *(f"https://{HOME}:443", f"http://{HOME}:80", f"http://{HOME}:443", "https://shop"),
    *("https://a.shop.example.com", "https://example.com", "https://com", "https://."),
    *("https://a.example.org", "https://xexample.org", "https://münchen.de"),
    *("https://MÜNCHEN.de", "https://m%C3%BCnchen.de", "https://XN--MNCHEN-3YA.de"),
    *("https://xn--mnchen-3ya.de.", "https://munchen.de", "http://shop.localhost"),
    *(
        "http://shop.localhost:8001",
        "http://shop.localhost:08000",
        "http://localhost:8000",
    ),
    *("http://shop.localhost:80", "https://shop.localhost", "http://127.0.0.1:8000"),
    *(
        "https://ѕhop.example.com",
        "https://shop.exаmple.com",
        "https://shop。example.com",
    ),
    *(
        "https://ｓhop.example.com",
        "https://shop%2Eexample.com",
        "https://shop.example.com%",
    ),
    *("https://[::1]", "https://[shop.example.com]", "https://shopexample.com"),
    *("https://shop-example.com", "https://shop.example.co", "https://hop.example.com"),
    *(
        "https://" + "a" * 9000,
        "https://" + "a." * 4000 + HOME,
        "\ud800",
        "https://\ud800",
    ),
)
HOSTILE = sorted(
    {
        *(
            f"{scheme}{before}{HOME}"
            for scheme, before in itertools.product(SCHEMES, BEFORE)
        ),
        *(
            f"{scheme}{HOME}{after}"
            for scheme, after in itertools.product(SCHEMES, AFTER)
        ),
        *(
            f"{blank}https://{HOME}"
            for blank in (" ", "\t", "\n", "\0", "\ufeff", "'", '"')
        ),
        *WHOLE,
    }
)


# A domain without a port stands for every port of its host.
OWN = re.compile(rf"https?://{re.escape(HOME)}:(?!0[0-9])[0-9]+")


def _is_accepted(header: str | None) -> bool:
    origin = parse_origin(header)
    return origin is not None and any(
        entry_allows_origin(domain, origin) for domain in BRAND
    )


def test_the_list_is_long_enough_to_mean_something():
    assert len(HOSTILE) >= 200


@each("header", HOSTILE)
def test_a_hostile_origin_is_not_accepted(header):
    assert not _is_accepted(header) or OWN.fullmatch(header)


def test_a_missing_origin_is_not_accepted():
    assert parse_origin(None) is None


@pytest.mark.parametrize(
    "header",
    [
        "https://shop.example.com",
        "http://shop.example.com",
        "https://example.org",
        "https://xn--mnchen-3ya.de",
        "http://shop.localhost:8000",
    ],
)
def test_the_brands_own_origins_are_accepted(header):
    assert _is_accepted(header)
