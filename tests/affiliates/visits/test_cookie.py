from __future__ import annotations

import base64
import random
import string
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID

import pytest

from affiliates.core.secrets.sealing import KeyRing, seal
from affiliates.visits.cookie import (
    MAX_AGE_SECONDS,
    ReferralCookie,
    read_cookie,
    remaining_seconds,
    seal_cookie,
)
from tests.lengths import in_steps

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/security-keys.md"
ALPHABET = string.ascii_letters + string.digits + "-_"

KEY_1 = "1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
KEY_2 = "2://79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="
RING = KeyRing.parse(f"{KEY_2},{KEY_1}")
BRAND = 1
NONCE = bytes(range(12, 24))
ISSUED = datetime(2026, 1, 1, tzinfo=UTC)
EXPIRES = datetime(2026, 4, 1, tzinfo=UTC)
COOKIE = ReferralCookie(
    visitor_id=UUID("01920000-0000-7000-8000-000000000001"),
    click_id=UUID("01920000-0000-7000-8000-000000000002"),
    affiliate_id=42,
    issued_at=ISSUED,
    expires_at=EXPIRES,
    external_visitor_id="PAPVisitorId-0123456789abcdefghi",
)
SECOND = timedelta(seconds=1)

# Published: tokens in browsers outlive releases, so these never change.
VECTORS = [
    (
        "own affiliate, first key",
        KEY_1,
        1,
        bytes(range(12)),
        COOKIE._replace(external_visitor_id=""),
        "AQEAAQIDBAUGBwgJCgvon7PpDb_JKGDhDMQ7vDr3NR7vTPFyi46PbatTgNKfOeEl8P434aHB5F"
        "-5mM46Qc7DMFXif2BsmqiUE0kmupj8UctE-EmBwiE72w",
    ),
    (
        "with a third party's visitor id, second key",
        f"{KEY_2},{KEY_1}",
        1,
        NONCE,
        COOKIE,
        "AQIMDQ4PEBESExQVFhfU6ACuGTYLh1tn7njhe5Hn1Q9wpW_zjPqDQTTL60KApnTik5EE-GRJqO"
        "WfIvhMMgmifFOOU1rlHF-KQFy7II2xgnwViiSo7KFpis9Bkw4AAtGKX8aMd1bgtqn_6Gxoc_la"
        "bwNraKg2mwCC",
    ),
    (
        "every field at its largest",
        f"{KEY_2},{KEY_1}",
        2**32 - 1,
        b"\xff" * 12,
        COOKIE._replace(affiliate_id=2**64 - 1, external_visitor_id="~" * 128),
        "AQL_______________-KYpLPPW9CtCdqHGG7ZZPKjYZca66kyNq3rBm-Uv9qD82Rl7lUUB98Qi"
        "GnD0hthlxeHFoEYr18tIw9KjgsXKw7TTG6Ez1zs9_VHlQZE_BxENlorP-NDW0mfkpDibplul6Z"
        "orT8VOaKIrvXHod3_3fzbHBEzD1ygXBnFtuicJPheJmjZsPm8Z0WeLxsciJgKYkumrcjQY_BB4"
        "HGYT9p25HwIYBjgiDhZaDfp8kRsiXydvOVNnC2b8zpjBcTFLKflAhp9uWgx2OvbJc2",
    ),
]


def sealed(cookie: ReferralCookie = COOKIE) -> str:
    return seal_cookie(cookie, brand_id=BRAND, ring=RING, nonce=NONCE)


def read(text: str | None, *, now: datetime = ISSUED) -> ReferralCookie | None:
    return read_cookie(text, brand_id=BRAND, ring=RING, now=now)


@pytest.mark.parametrize(
    ("_case", "keys", "brand_id", "nonce", "cookie", "token"), VECTORS
)
def test_the_published_vectors_hold(_case, keys, brand_id, nonce, cookie, token):
    ring = KeyRing.parse(keys)

    assert seal_cookie(cookie, brand_id=brand_id, ring=ring, nonce=nonce) == token
    assert read_cookie(token, brand_id=brand_id, ring=ring, now=ISSUED) == cookie


def test_the_document_shows_the_same_vectors():
    document = DOCUMENT.read_text(encoding="utf-8")

    for *_, token in VECTORS:
        assert token in document


def test_a_token_needs_no_encoding_in_a_cookie():
    assert set(sealed()) <= set(ALPHABET)
    assert len(sealed()) == 160
    assert len(sealed(COOKIE._replace(external_visitor_id=""))) == 118


def test_no_bit_of_a_token_can_change():
    raw = base64.urlsafe_b64decode(sealed() + "==")

    for bit in range(len(raw) * 8):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        token = base64.urlsafe_b64encode(changed).decode().rstrip("=")
        assert read(token) is None, bit


def test_no_character_of_a_token_can_change():
    token = sealed()
    accepted = [
        (position, character)
        for position, original in enumerate(token)
        for character in ALPHABET + "+/=. \0\x80é\ud800"
        if character != original
        and read(token[:position] + character + token[position + 1 :]) is not None
    ]

    assert accepted == []


def test_no_piece_of_a_token_is_one():
    token = sealed()
    pieces = {
        *(token[:end] for end in range(len(token))),
        *(token[start:] for start in range(1, len(token))),
        *(token[:cut] + token[cut + 1 :] for cut in range(len(token))),
    }

    assert [piece for piece in pieces if read(piece) is not None] == []


@pytest.mark.parametrize("cookie", [COOKIE, COOKIE._replace(external_visitor_id="")])
def test_a_token_has_one_spelling(cookie):
    token = sealed(cookie)
    padded = token + "=" * (-len(token) % 4)
    same_bytes = [
        token[:-1] + last
        for last in ALPHABET
        if last != token[-1]
        and base64.urlsafe_b64decode(token[:-1] + last + padded[len(token) :])
        == base64.urlsafe_b64decode(padded)
    ]
    others = [
        *same_bytes,
        *(padded, token + "=", token + "==", token + "A", token + "\n", token + " "),
        *(" " + token, f'"{token}"', token + token, token.replace("-", "+")),
        *(token.replace("_", "/"), token.swapcase(), token[:20] + "\n" + token[20:]),
    ]

    # A length that fills its last character has none.
    assert len(same_bytes) in {0, 3, 15}
    assert [other for other in others if other != token and read(other)] == []


@in_steps(example=7, sweep=1)
def test_garbage_is_absent(step):
    chance = random.Random(20260101)  # noqa: S311
    token = sealed()
    everything = [
        chr(code) for code in (*range(0x250), 0x2028, 0xD800, 0xDFFF, 0x1F600)
    ]
    accepted = []

    for number in range(0, 100_000, step):
        length = chance.randrange(0, 200)
        alphabet = (ALPHABET, string.printable, everything)[number % 3]
        garbage = "".join(chance.choices(alphabet, k=length))
        if number % 4 == 0:
            kept = chance.randrange(len(token))
            garbage = token[:kept] + garbage
        if read(garbage) is not None:
            accepted.append(garbage)

    assert accepted == []


@pytest.mark.parametrize(
    ("_case", "text"),
    [
        ("none", None),
        ("empty", ""),
        ("NUL", "\0"),
        ("lone surrogate", "\ud800"),
        ("padding only", "=" * 107),
        ("huge", "A" * 10_000_000),
    ],
)
def test_what_is_no_token_is_absent(_case, text):
    assert read(text) is None


def test_another_brands_cookie_is_absent():
    token = sealed()

    assert read_cookie(token, brand_id=BRAND + 1, ring=RING, now=ISSUED) is None


def test_an_old_key_opens_until_it_is_removed():
    before = KeyRing.parse(KEY_1)
    after = KeyRing.parse(KEY_2)
    token = seal_cookie(COOKIE, brand_id=BRAND, ring=before, nonce=NONCE)

    assert read(token) == COOKIE
    assert read_cookie(token, brand_id=BRAND, ring=after, now=ISSUED) is None
    assert sealed().startswith("AQI")


@pytest.mark.parametrize(
    ("_case", "now", "is_read"),
    [
        ("at issue", ISSUED, True),
        ("at expiry", EXPIRES, True),
        ("the microsecond after", EXPIRES + timedelta(microseconds=1), False),
        ("long after", EXPIRES + timedelta(days=400), False),
        ("issued 300 s ahead", ISSUED - timedelta(seconds=300), True),
        ("issued 301 s ahead", ISSUED - timedelta(seconds=301), False),
        ("in another time zone", EXPIRES.astimezone(timezone(-SECOND)), True),
    ],
)
def test_a_cookie_lives_to_the_microsecond(_case, now, is_read):
    assert read(sealed(), now=now) == (COOKIE if is_read else None)


@pytest.mark.parametrize(
    ("_case", "left", "expected"),
    [
        ("90 days", timedelta(days=90), 7_776_000),
        ("fractions round up", timedelta(seconds=10, microseconds=1), 11),
        ("less than a second", timedelta(microseconds=1), 1),
        ("none", timedelta(0), 1),
        ("expired", timedelta(days=-1), 1),
        ("400 days", timedelta(days=400), MAX_AGE_SECONDS),
        ("more than browsers keep", timedelta(days=401), MAX_AGE_SECONDS),
    ],
)
def test_the_browser_is_told_the_remaining_life(_case, left, expected):
    assert MAX_AGE_SECONDS == 34_560_000
    assert remaining_seconds(COOKIE, now=EXPIRES - left) == expected


def test_every_microsecond_is_kept():
    precise = COOKIE._replace(
        issued_at=ISSUED - timedelta(microseconds=1),
        expires_at=EXPIRES + timedelta(microseconds=999_999),
    )

    assert read(sealed(precise)) == precise


@pytest.mark.parametrize(
    ("_case", "change", "message"),
    [
        ("negative affiliate", {"affiliate_id": -1}, "64 bits"),
        ("huge affiliate", {"affiliate_id": 2**64}, "64 bits"),
        ("long visitor id", {"external_visitor_id": "a" * 129}, "128"),
        ("visitor id not ASCII", {"external_visitor_id": "ü"}, "ascii"),
        ("naive time", {"issued_at": datetime(2026, 1, 1)}, "aware"),  # noqa: DTZ001
        ("before 1970", {"issued_at": datetime(1969, 12, 31, tzinfo=UTC)}, "1970"),
    ],
)
def test_a_value_the_format_cannot_hold_is_refused(_case, change, message):
    with pytest.raises(ValueError, match=message):
        sealed(COOKIE._replace(**change))


# Visitor, click, affiliate and issue all zero; expires in 4253.
FIELDS = bytes(48) + b"\x01" + bytes(7)


@pytest.mark.parametrize(
    ("_case", "payload", "is_read"),
    [
        ("layout 2", b"\x02" + FIELDS + b"\x00", True),
        ("layout 2 with a visitor id", b"\x02" + FIELDS + b"\x02ab", True),
        ("empty", b"", False),
        ("short", b"\x02" + FIELDS, False),
        ("layout 1", b"\x01" + FIELDS + b"\x00", False),
        ("layout 3", b"\x03" + FIELDS + b"\x00", False),
        ("length too large", b"\x02" + FIELDS + b"\x02a", False),
        ("length too small", b"\x02" + FIELDS + b"\x00a", False),
        ("not ASCII", b"\x02" + FIELDS + b"\x01\xff", False),
    ],
)
def test_a_payload_of_another_layout_is_absent(_case, payload, is_read):
    token = seal(payload, ring=RING, brand_id=BRAND, nonce=NONCE)

    assert (read(token) is not None) is is_read
