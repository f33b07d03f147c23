from __future__ import annotations

import base64
import hmac
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from affiliates.core.secrets import sealing
from affiliates.core.secrets.sealing import MAX_TOKEN_LENGTH, KeyRing, seal, unseal
from tests.cases import each

OLD = bytes(range(32))
NEW = bytes(range(100, 132))
NONCE = bytes(range(12))


def _base64(key: bytes) -> str:
    return base64.b64encode(key).decode("ascii")


BOTH = ((2, NEW), (1, OLD))
RING = KeyRing.parse(f"2:{_base64(NEW)},1:{_base64(OLD)}")


@pytest.mark.parametrize(
    ("_case", "text", "roots"),
    [
        ("one key", f"1:{_base64(OLD)}", ((1, OLD),)),
        ("order kept", f"2:{_base64(NEW)},1:{_base64(OLD)}", BOTH),
        ("lowest id", f"0:{_base64(OLD)}", ((0, OLD),)),
        ("highest id", f"255:{_base64(OLD)}", ((255, OLD),)),
        ("spaces and lines", f" 2 : {_base64(NEW)} ,\n1:{_base64(OLD)}\n", BOTH),
        ("url-safe alphabet", "1:" + "_" * 42 + "8=", ((1, b"\xff" * 32),)),
        ("standard alphabet", "1:" + "/" * 42 + "8=", ((1, b"\xff" * 32),)),
        ("without padding", "1:" + "A" * 43, ((1, bytes(32)),)),
    ],
)
def test_keys_are_read_in_order(_case, text, roots):
    ring = KeyRing.parse(text)

    assert ring.roots == roots


@each(
    ("_case", "text", "advice"),
    [
        ("empty", "", "There is no key. Write the keys as"),
        ("blank", " \n", "There is no key. Write the keys as"),
        ("no id", _base64(OLD), "Key 1 is malformed. Write the keys as"),
        ("no key", "1:", "Key 1 is malformed"),
        ("id in words", f"one:{_base64(OLD)}", "Key 1 is malformed"),
        ("negative id", f"-1:{_base64(OLD)}", "Key 1 is malformed"),
        ("id of other digits", f"١:{_base64(OLD)}", "Key 1 is malformed"),
        ("id too large", f"256:{_base64(OLD)}", "id of key 1 must be from 0 to 255"),
        ("trailing comma", f"1:{_base64(OLD)},", "Key 2 is malformed"),
        ("semicolon", f"2:{_base64(NEW)};1:{_base64(OLD)}", "Key 1 is malformed"),
        ("not base64", "1:" + "!" * 44, "Key 1 is malformed"),
        ("padding inside", f"1:{_base64(OLD)}AAAA", "Key 1 is malformed"),
        ("impossible length", "1:" + "A" * 41, "Key 1 is not 32 bytes in base64"),
        ("16 bytes", f"1:{_base64(OLD[:16])}", "Key 1 is not 32 bytes in base64"),
        ("33 bytes", f"1:{_base64(OLD + b'x')}", "Key 1 is not 32 bytes in base64"),
        ("hexadecimal", "1:" + OLD.hex(), "Key 1 is not 32 bytes in base64"),
        ("second is short", f"2:{_base64(NEW)},1:AAAA", "Key 2 is not 32 bytes"),
        ("id twice", f"1:{_base64(NEW)},1:{_base64(OLD)}", "A key id appears twice"),
        ("id twice, padded", f"1:{_base64(NEW)},01:{_base64(OLD)}", "appears twice"),
    ],
)
def test_unusable_keys_are_refused_with_advice(text, advice):
    with pytest.raises(ValueError, match=advice) as refusal:
        KeyRing.parse(text)

    assert _base64(OLD) not in str(refusal.value)
    assert _base64(NEW) not in str(refusal.value)


def test_a_ring_does_not_show_its_keys():
    assert repr(RING) == "KeyRing()"


def test_a_sealed_payload_opens_for_its_brand_only():
    token = seal(b"payload", ring=RING, brand_id=7, nonce=NONCE)

    assert unseal(token, ring=RING, brand_id=7) == b"payload"
    assert unseal(token, ring=RING, brand_id=8) is None


def test_the_first_key_seals_and_all_open():
    before = KeyRing.parse(f"1:{_base64(OLD)}")
    after = KeyRing.parse(f"2:{_base64(NEW)}")
    old = seal(b"payload", ring=before, brand_id=7, nonce=NONCE)
    new = seal(b"payload", ring=RING, brand_id=7, nonce=NONCE)

    assert unseal(old, ring=RING, brand_id=7) == b"payload"
    assert unseal(old, ring=after, brand_id=7) is None
    assert unseal(new, ring=after, brand_id=7) == b"payload"
    assert unseal(new, ring=before, brand_id=7) is None


def test_one_key_under_another_id_does_not_open():
    renamed = KeyRing.parse(f"1:{_base64(NEW)}")
    token = seal(b"payload", ring=RING, brand_id=7, nonce=NONCE)
    raw = bytearray(base64.urlsafe_b64decode(token + "=="))
    raw[1] = 1
    relabelled = base64.urlsafe_b64encode(raw).decode().rstrip("=")

    assert unseal(token, ring=renamed, brand_id=7) is None
    assert unseal(relabelled, ring=renamed, brand_id=7) is None


def test_a_token_follows_the_written_format():
    """Open one by the recipe of docs/security-keys.md, with none of our code."""
    token = seal(b"payload", ring=RING, brand_id=7, nonce=NONCE)
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    brand = (7).to_bytes(4, "big")

    extracted = hmac.digest(b"affiliates.referral_cookie.v1", NEW, "sha256")
    key = hmac.digest(extracted, b"\x02" + brand + b"\x01", "sha256")
    cipher = Cipher(algorithms.AES(key), modes.GCM(raw[2:14], raw[-16:]))
    opening = cipher.decryptor()
    opening.authenticate_additional_data(raw[:2] + b"referral_cookie" + brand)

    assert raw[:14] == b"\x01\x02" + NONCE
    assert opening.update(raw[14:-16]) + opening.finalize() == b"payload"


def test_another_version_is_not_opened(monkeypatch):
    with monkeypatch.context() as future:
        future.setattr(sealing, "VERSION", 2)
        token = seal(b"payload", ring=RING, brand_id=7, nonce=NONCE)
        assert unseal(token, ring=RING, brand_id=7) == b"payload"

    assert unseal(token, ring=RING, brand_id=7) is None


def test_the_ceiling_holds_for_sealing_and_opening():
    largest = bytes(994)
    token = seal(largest, ring=RING, brand_id=7, nonce=NONCE)

    assert len(token) == MAX_TOKEN_LENGTH
    assert unseal(token, ring=RING, brand_id=7) == largest
    assert unseal(token + "A", ring=RING, brand_id=7) is None
    with pytest.raises(ValueError, match="at most 1366 characters"):
        seal(largest + b"x", ring=RING, brand_id=7, nonce=NONCE)


@pytest.mark.parametrize("length", [0, 11, 13, 16])
def test_a_nonce_of_another_length_is_refused(length):
    with pytest.raises(ValueError, match="12 bytes"):
        seal(b"payload", ring=RING, brand_id=7, nonce=bytes(length))


def test_threads_may_share_the_keys():
    def round_trip(number: int) -> bool:
        payload = number.to_bytes(8, "big") * 10
        brand_id = number % 3
        token = seal(
            payload, ring=RING, brand_id=brand_id, nonce=number.to_bytes(12, "big")
        )
        return unseal(token, ring=RING, brand_id=brand_id) == payload

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(round_trip, range(4000)))
