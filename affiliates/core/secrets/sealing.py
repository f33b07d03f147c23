"""Encrypted tokens: AES-256-GCM with a separate key per key id and brand.

Format v1, in base64url without padding: version, key id, nonce (12 bytes), ciphertext
with its tag. The version fixes the algorithm. ``docs/security-keys.md`` has test vectors.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VERSION = 1
PURPOSE = b"referral_cookie"
KEY_LENGTH = 32
NONCE_LENGTH = 12
HEADER_LENGTH = 2
MAX_TOKEN_LENGTH = 1366
MAX_KEY_ID = 255

_HKDF_SALT = b"affiliates.referral_cookie.v1"
_PREFIX_LENGTH = HEADER_LENGTH + NONCE_LENGTH
# 40 characters hold an empty payload: header, nonce and tag.
_TOKEN = re.compile(rf"[A-Za-z0-9_-]{{40,{MAX_TOKEN_LENGTH}}}")
_KEY = re.compile(r"\s*([0-9]{1,3})\s*:\s*([A-Za-z0-9+/_-]+={0,2})\s*")
_ADVICE = (
    'Write the keys as "2:<base64>,1:<base64>", newest first; '
    "`openssl rand -base64 32` makes one."
)


@dataclass(frozen=True, slots=True)
class KeyRing:
    """Root keys by key id: the first encrypts, all decrypt."""

    roots: tuple[tuple[int, bytes], ...] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> KeyRing:
        """Reads ``"2:<base64 of 32 bytes>,1:<base64>"``.

        Raises ValueError with a message that says what to do and names no key.
        """
        if not text.strip():
            raise ValueError(f"There is no key. {_ADVICE}")
        roots = tuple(
            _parse_key(part, position)
            for position, part in enumerate(text.split(","), start=1)
        )
        if len(dict(roots)) < len(roots):
            raise ValueError(
                "A key id appears twice. Give every key an id of its own, 0 to 255."
            )
        return cls(roots)

    def root(self, key_id: int) -> bytes | None:
        for candidate, root in self.roots:
            if candidate == key_id:
                return root
        return None


def seal(
    payload: bytes,
    *,
    ring: KeyRing,
    brand_id: int,
    nonce: bytes,
    purpose: bytes = PURPOSE,
) -> str:
    """Encrypts for one brand and purpose.

    The nonce is 12 random bytes, never used before.
    """
    if len(nonce) != NONCE_LENGTH:
        raise ValueError(f"A nonce has {NONCE_LENGTH} bytes")
    key_id, root = ring.roots[0]
    header = bytes((VERSION, key_id))
    ciphertext = _aead(root, key_id, brand_id).encrypt(
        nonce, payload, _associated_data(header, brand_id, purpose)
    )
    token = _encode(header + nonce + ciphertext)
    if len(token) > MAX_TOKEN_LENGTH:
        raise ValueError(f"A token has at most {MAX_TOKEN_LENGTH} characters")
    return token


def unseal(
    token: str, *, ring: KeyRing, brand_id: int, purpose: bytes = PURPOSE
) -> bytes | None:
    """The payload of a token encrypted for this brand and purpose.

    None for any other string.
    """
    raw = _decode(token)
    if raw is None or raw[0] != VERSION:
        return None
    key_id = raw[1]
    root = ring.root(key_id)
    if root is None:
        return None
    header, nonce = raw[:HEADER_LENGTH], raw[HEADER_LENGTH:_PREFIX_LENGTH]
    try:
        return _aead(root, key_id, brand_id).decrypt(
            nonce,
            raw[_PREFIX_LENGTH:],
            _associated_data(header, brand_id, purpose),
        )
    except InvalidTag:
        return None


def _parse_key(part: str, position: int) -> tuple[int, bytes]:
    match = _KEY.fullmatch(part)
    if match is None:
        raise ValueError(f"Key {position} is malformed. {_ADVICE}")
    key_id = int(match[1])
    if key_id > MAX_KEY_ID:
        raise ValueError(f"The id of key {position} must be from 0 to {MAX_KEY_ID}.")
    root = _decode_key(match[2])
    if root is None or len(root) != KEY_LENGTH:
        raise ValueError(
            f"Key {position} is not {KEY_LENGTH} bytes in base64. {_ADVICE}"
        )
    return key_id, root


def _decode_key(text: str) -> bytes | None:
    """Accepts both base64 alphabets, padded or not: key tools differ."""
    digits = text.rstrip("=")
    try:
        return base64.urlsafe_b64decode(
            digits.translate(_TO_URLSAFE) + "=" * (-len(digits) % 4)
        )
    except binascii.Error:
        return None


_TO_URLSAFE = str.maketrans("+/", "-_")


@lru_cache(maxsize=1024)
def _aead(root: bytes, key_id: int, brand_id: int) -> AESGCM:
    derivation = HKDF(
        algorithm=SHA256(),
        length=KEY_LENGTH,
        salt=_HKDF_SALT,
        info=bytes((key_id,)) + _brand_bytes(brand_id),
    )
    return AESGCM(derivation.derive(root))


def _associated_data(header: bytes, brand_id: int, purpose: bytes) -> bytes:
    return header + purpose + _brand_bytes(brand_id)


def _brand_bytes(brand_id: int) -> bytes:
    return brand_id.to_bytes(4, "big")


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _decode(token: str) -> bytes | None:
    """Decodes only the canonical spelling: base64 has others for the same bytes."""
    if not _TOKEN.fullmatch(token):
        return None
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except binascii.Error:
        return None
    return raw if _encode(raw) == token else None
