"""The visits that are sent: varied as real ones are, the same for every variant."""

from __future__ import annotations

import json
import os
import random
import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote

from affiliates.core.ids import new_id
from affiliates.core.secrets.sealing import NONCE_LENGTH, KeyRing
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from benchmarks.database import ALLOWED_HOST

DISTINCT_VISITS = 2_000
BRAND_ID = 1
SEED = 20_260_101
PLATFORMS = (
    "Windows NT 10.0; Win64; x64",
    "Macintosh; Intel Mac OS X 10_15_7",
    "X11; Linux x86_64",
    "Linux; Android 14; Pixel 8",
)
BROWSERS = ("", " Edg/130.0.0.0", " OPR/115.0.0.0")


def write_visits(
    path: Path,
    *,
    link_hashes: Sequence[str],
    count: int = DISTINCT_VISITS,
    is_tracked: bool = False,
) -> None:
    """One visit on each line: address, space, body. Half of them hold a valid cookie.

    With ``is_tracked`` every one names an affiliate of the tracking integration too.
    """
    lines = islice(_visits(link_hashes, is_tracked=is_tracked), count)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _visits(link_hashes: Sequence[str], *, is_tracked: bool) -> Iterator[str]:
    chance = random.Random(SEED)  # noqa: S311 - variety, not secrecy
    ring = KeyRing.parse(os.environ["AFFILIATES_COOKIE_KEYS"])
    for number, link_hash in enumerate(cycle(link_hashes)):
        body = {
            "visit_url": _visit_url(number, link_hash, is_tracked=is_tracked),
            "referrer_url": f"https://blog.example.org/posts/{chance.randrange(10**6)}",
            "user_agent": _user_agent(chance, number),
        }
        if number % 2:
            body["referral_cookie"] = _cookie(ring, affiliate_id=chance.randint(1, 100))
        address = f"{11 + number // 65_536}.{number // 256 % 256}.{number % 256}.7"
        yield f"{address} {json.dumps(body)}"


def _visit_url(number: int, link_hash: str, *, is_tracked: bool) -> str:
    base = (
        f"https://shop.example.com/aff/{link_hash}?utm_source=blog&utm_content={number}"
    )
    if is_tracked:
        base += f"&a_aid=partner{number % 100}"
    match number % 4:
        case 0:
            return (
                f"{base}&redirect={quote(f'https://{ALLOWED_HOST}/{number}', safe='')}"
            )
        case 1:
            return f"{base}&redirect={quote('https://evil.example.com/', safe='')}"
        case _:
            return f"{base}#pricing"


def _user_agent(chance: random.Random, number: int) -> str:
    """One of about 500: a platform, an engine's frozen version, a browser."""
    platform = PLATFORMS[number % len(PLATFORMS)]
    version = f"Chrome/{chance.randint(100, 140)}.0.0.0 Safari/537.36"
    browser = chance.choice(BROWSERS)
    return (
        f"Mozilla/5.0 ({platform}) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"{version}{browser}"
    )


def _cookie(ring: KeyRing, *, affiliate_id: int) -> str:
    issued_at = datetime.now(tz=UTC) - timedelta(days=1)
    cookie = ReferralCookie(
        visitor_id=new_id(),
        click_id=new_id(),
        affiliate_id=affiliate_id,
        issued_at=issued_at,
        expires_at=issued_at + timedelta(days=90),
    )
    nonce = secrets.token_bytes(NONCE_LENGTH)
    return seal_cookie(cookie, brand_id=BRAND_ID, ring=ring, nonce=nonce)
