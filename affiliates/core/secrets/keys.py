"""Keys that programs send with their calls: shown once, found by a digest. Pure."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import NamedTuple

SECRET_BYTES = 32
HINT_CHARACTERS = 4


class NewKey(NamedTuple):
    """``secret`` is stored nowhere; ``hint`` is how it begins."""

    secret: str
    digest: str
    hint: str


def new_key(prefix: str) -> NewKey:
    """Makes a random key. The prefix makes leaked keys easy to find."""
    secret = prefix + secrets.token_urlsafe(SECRET_BYTES)
    return NewKey(secret, digest_of(secret), secret[: len(prefix) + HINT_CHARACTERS])


def digest_of(secret: str) -> str:
    """The stored digest: the key is too random to be guessed from it."""
    return sha256(secret.encode()).hexdigest()
