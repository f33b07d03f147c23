"""Encryption at rest: AES-256-GCM with a separate key for each key id and purpose.

An encrypted text is the key id, a full stop, and nonce, ciphertext and tag in base64url
without padding: the key that it needs is known without trying any.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import secrets
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from affiliates.core.secrets.sealing import (
    KEY_LENGTH,
    MAX_KEY_ID,
    NONCE_LENGTH,
    KeyRing,
)

SEPARATOR = "."
_KEY_ID = re.compile(r"(0|[1-9][0-9]{0,2})\.")


class Undecryptable(Exception):
    """No key of the ring opens the text.

    ``key_id`` is the key that it was encrypted with; None if the text names none.
    """

    def __init__(self, key_id: int | None) -> None:
        super().__init__("No key opens this text.")
        self.key_id = key_id


def encrypt(content: bytes, ring: KeyRing, *, purpose: bytes) -> str:
    """Encrypts with the first key."""
    key_id, root = ring.roots[0]
    nonce = secrets.token_bytes(NONCE_LENGTH)
    sealed = nonce + _aead(root, key_id, purpose).encrypt(nonce, content, None)
    return (
        f"{key_id}{SEPARATOR}{base64.urlsafe_b64encode(sealed).rstrip(b'=').decode()}"
    )


def decrypt(text: str, ring: KeyRing, *, purpose: bytes) -> bytes:
    """Raises Undecryptable."""
    key_id = key_id_of(text)
    root = None if key_id is None else ring.root(key_id)
    if key_id is None or root is None:
        raise Undecryptable(key_id)
    _, _, encoded = text.partition(SEPARATOR)
    try:
        sealed = base64.b64decode(
            encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True
        )
        nonce, ciphertext = sealed[:NONCE_LENGTH], sealed[NONCE_LENGTH:]
        return _aead(root, key_id, purpose).decrypt(nonce, ciphertext, None)
    except (InvalidTag, binascii.Error, ValueError):
        raise Undecryptable(key_id) from None


def key_id_of(text: str) -> int | None:
    """The key that the text was encrypted with; None for any other text."""
    match = _KEY_ID.match(text)
    return int(match[1]) if match and int(match[1]) <= MAX_KEY_ID else None


def fingerprints(text: str, ring: KeyRing, *, purpose: bytes) -> list[str]:
    """One for each key, by the first key first.

    The same for the same text; guessing the text from one needs its key.
    """
    keys = (_key(root, salt=purpose, info=b"fingerprint") for _, root in ring.roots)
    return [hmac.new(key, text.encode(), "sha256").hexdigest() for key in keys]


@lru_cache
def _aead(root: bytes, key_id: int, purpose: bytes) -> AESGCM:
    return AESGCM(_key(root, salt=purpose, info=b"aes-gcm" + bytes((key_id,))))


@lru_cache(maxsize=10_000)
def seal_alike(data: bytes, ring: KeyRing, *, salt: bytes) -> str:
    """A token by the first key, the same for the same data: rows can be compared."""
    key_id, root = ring.roots[0]
    sealed = bytes([key_id]) + _siv(root, salt=salt).encrypt(data, None)
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


@lru_cache(maxsize=10_000)
def unseal_alike(token: str, ring: KeyRing, *, salt: bytes) -> bytes | None:
    """None if the key is missing, and for any other string."""
    try:
        sealed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        root = ring.root(sealed[0])
        return root and _siv(root, salt=salt).decrypt(sealed[1:], None)
    except (InvalidTag, IndexError, ValueError):
        return None


@lru_cache
def _siv(root: bytes, *, salt: bytes) -> AESSIV:
    keys = (_key(root, salt=salt, info=info) for info in (b"siv-mac", b"siv-encrypt"))
    return AESSIV(b"".join(keys))


def _key(root: bytes, *, salt: bytes, info: bytes) -> bytes:
    derivation = HKDF(algorithm=SHA256(), length=KEY_LENGTH, salt=salt, info=info)
    return derivation.derive(root)
