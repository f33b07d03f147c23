"""The redirect guard against a real Chromium: what each makes of the same values."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from affiliates.core.domains import DomainEntry
from affiliates.core.redirects import judge_target
from affiliates.core.urls import first_parameter, parse_http_url
from tests.lengths import times

if TYPE_CHECKING:
    from playwright.sync_api import Page

CORPUS = Path(__file__).resolve().parents[2] / "../shared/corpora/redirect_vectors.json"
GENERATED = times(10_000, long=60_000)
BATCH = 2_000

HOME = "www.whitelisteddomain.tld"
BASE = f"https://{HOME}/client/store?aid=abc123#top"
SEEDS = (
    *("/", "/plans?a=1#b", "?plan=2", f"https://{HOME}", f"https://{HOME}/plans"),
    *("https://example.org/a", "https://www.example.org", "https://münchen.de/bier"),
    *("https://partner.example.net:8443/x", "http://127.0.0.1:8000/", "//evil.com/"),
)
TOKENS = (
    *(
        "/",
        "//",
        "\\",
        "?",
        "#",
        "@",
        ":",
        ".",
        "..",
        ";",
        "&",
        "=",
        "%",
        "|",
        "_",
        "-",
    ),
    *("\t", "\n", "\r", "\0", " ", "\x0b", "\x7f", "\x80", "\xa0", "\xad", "\u180e"),
    *("\u200b", "\u2028", "\ufeff", "\ufffd", "。", "．", "／", "＠", "：", "％", "ß"),
    *("%00", "%09", "%0a", "%20", "%23", "%2e", "%2f", "%3a", "%3f", "%40", "%5c"),
    *("%E3%80%82", "%C2%AD", "%ff", "%2525", "[", "]", "[::1]", "[::ﬀﬀ:1]", "*", "^"),
    *(
        "http:",
        "https:",
        "HTTPS://",
        "javascript:",
        "data:",
        "ftp://",
        "blob:",
        "ws://",
    ),
    *(
        "evil.com",
        ".evil.com",
        "@evil.com",
        "0x7f.1",
        "127.0.0.1",
        "2130706433",
        "<",
        '"',
    ),
    *(
        HOME,
        "example.org",
        "www.example.org",
        "münchen.de",
        "xn--mnchen-3ya.de",
        "xn--a",
    ),
    *("partner.example.net", ":8443", ":443", ":80", ":0", ":99999", "user:pass@", "'"),
)


def _entry(host: str, port: int | None = None, *, wide: bool = False) -> DomainEntry:
    return DomainEntry(
        host=host,
        port=port,
        is_client_area=False,
        is_redirect_target=True,
        include_subdomains=wide,
    )


BRAND = (
    _entry("example.org", wide=True),
    _entry("xn--mnchen-3ya.de"),
    _entry("partner.example.net", 8443),
    _entry("127.0.0.1", 8000),
)

READ = """
([values, base]) => values.map((value) => {
  try {
    const url = new URL(value, base ?? undefined);
    return [url.protocol, url.hostname, url.port, url.searchParams.get("redirect")];
  } catch {
    return null;
  }
})
"""
Reading = list[str | None] | None

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def values() -> list[str]:
    seeds = [*SEEDS, *_corpus()]
    chance = random.Random(20260101)  # noqa: S311
    mutated = {_mutate(chance, seeds) for _ in range(GENERATED)}
    return sorted(value for value in {*seeds, *mutated} if _is_text(value))


def _corpus() -> list[str]:
    if not CORPUS.exists():
        return []
    rows = json.loads(CORPUS.read_text(encoding="utf-8"))["rows"]
    return [row["value"] for row in rows]


def _mutate(chance: random.Random, seeds: list[str]) -> str:
    value = chance.choice(SEEDS if chance.random() < 0.5 else seeds)
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(value))
        end = min(len(value), start + chance.choice((0, 0, 1, 2, 9)))
        value = value[:start] + chance.choice(TOKENS) + value[end:]
    return value


def _is_text(value: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _read(page: Page, values: list[str], base: str | None) -> list[Reading]:
    readings: list[Reading] = []
    for start in range(0, len(values), BATCH):
        readings += page.evaluate(READ, [values[start : start + BATCH], base])
    return readings


def _is_inside(reading: Reading) -> bool:
    if reading is None:
        return False
    protocol, host, port, _ = reading
    on_default_port = (
        host in (HOME, "example.org", "xn--mnchen-3ya.de")
        or str(host).endswith(".example.org")
    ) and port == ""
    on_other_port = (host, port) in (
        ("partner.example.net", "8443"),
        ("127.0.0.1", "8000"),
    )
    return protocol in ("https:", "http:") and (on_default_port or on_other_port)


def test_chromium_leaves_the_brand_by_no_permitted_value(page, values):
    visit_url = parse_http_url(BASE)
    permitted = {
        value: decision.url
        for value in values
        for decision in [
            judge_target(value, visit_url=visit_url, domains=BRAND, require_https=False)
        ]
        if decision.url is not None
    }
    asked, answered = list(permitted), list(permitted.values())

    from_asked = _read(page, asked, BASE)
    from_answered = _read(page, answered, BASE)
    standing_alone = _read(page, answered, None)

    assert len(permitted) > times(500, long=1000)
    assert [
        value
        for value, reading in zip(asked, from_asked, strict=True)
        if reading is not None and not _is_inside(reading)
    ] == []
    for readings in (from_answered, standing_alone):
        assert [
            (value, permitted[value])
            for value, reading in zip(asked, readings, strict=True)
            if not _is_inside(reading)
        ] == []


@pytest.mark.parametrize("is_encoded", [True, False], ids=["encoded", "as it is"])
def test_chromium_finds_the_same_value_in_the_visited_url(page, values, is_encoded):
    pages = [
        f"https://{HOME}/store?aid=1&redirect={quote(value, safe='') if is_encoded else value}"
        for value in values[::4]
    ]

    readings = _read(page, pages, None)

    different = []
    for text, reading in zip(pages, readings, strict=True):
        url = parse_http_url(text)
        if url is None or reading is None:
            assert url is None
            assert reading is None
            continue
        if first_parameter(url, "redirect") != reading[3]:
            different.append((text, reading[3]))
    assert different == []
