"""Encryption at rest: Fernet with separate keys derived for each purpose."""

from __future__ import annotations

import base64
import hmac
from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from affiliates.core.secrets.sealing import KEY_LENGTH, KeyRing


@lru_cache
def cipher(ring: KeyRing, *, salt: bytes) -> MultiFernet:
    """The first key encrypts, all decrypt. ``salt`` names the purpose."""
    return MultiFernet(
        [
            Fernet(base64.urlsafe_b64encode(_key(root, salt=salt, info=b"fernet")))
            for _, root in ring.roots
        ]
    )


def fingerprint(text: str, ring: KeyRing, *, salt: bytes) -> str:
    """The same for the same text; guessing the text from it needs the first key."""
    _, root = ring.roots[0]
    key = _key(root, salt=salt, info=b"fingerprint")
    return hmac.new(key, text.encode(), "sha256").hexdigest()


def _key(root: bytes, *, salt: bytes, info: bytes) -> bytes:
    derivation = HKDF(algorithm=SHA256(), length=KEY_LENGTH, salt=salt, info=info)
    return derivation.derive(root)
