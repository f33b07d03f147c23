"""Redirects of people who want a visitor to leave the brand."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

CORPUS = Path(__file__).resolve().parents[3] / "../shared/corpora/redirect_vectors.json"
# What attackers build from: the brand's hosts, others, and every separator.
PIECES = (
    *("https", "http", "HTTP", "javascript", "data", "ftp", ":", "/", "//", "\\", "?"),
    *("#", "@", ".", "..", "%", "%2f", "%5c", "%09", "%00", "%2e", "%40", "\t", "\n"),
    *("\0", " ", "[", "]", "[::1]", "127.0.0.1", "0x7f.1", "2130706433", ":8000"),
    *(":8443", ":443", ":80", "shop.example.com", "example.org", "evil.com", "www."),
    *("münchen.de", "xn--mnchen-3ya.de", "localhost", "。", "／", "＠", "\u200b", "ß"),
    *("_", "-", "*", "&", "=", ";", ",", "|", "^", "`", "{", "}", "<", ">", '"', "'"),
    *("a", "A", "0", "\ufeff", "\ufffd", "\u2028", "\xa0", "\x80", "\ud800", "\u180e"),
    *("https://", "https://shop.example.com:8443", "https://example.org", "//evil.com"),
)


def known_redirects() -> list[str]:
    """Those of public lists, where they are at hand."""
    if not CORPUS.exists():
        return []
    rows = json.loads(CORPUS.read_text(encoding="utf-8"))["rows"]
    return [row["value"] for row in rows]


def made_up_redirects(count: int) -> list[str]:
    random = Random(count)  # noqa: S311 - to be repeated
    return [
        "".join(random.choices(PIECES, k=random.randrange(1, 10))) for _ in range(count)
    ]
