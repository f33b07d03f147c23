"""Stripe's signature of a webhook: HMAC-SHA256 of the time and the body."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

HEADER = "Stripe-Signature"
SCHEME = "v1"
TOLERANCE_SECONDS = 300
MAX_DIGITS = 12


def is_signed(
    body: bytes, header: str, secrets: Iterable[str], *, now: datetime
) -> bool:
    """Whether one of the secrets signed the body within five minutes of ``now``."""
    values = [part.strip().partition("=")[::2] for part in header.split(",")]
    timestamp = next((value for name, value in values if name == "t"), "")
    if not (timestamp.isascii() and timestamp.isdecimal()):
        return False
    if len(timestamp) > MAX_DIGITS:
        return False
    if abs(now.timestamp() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signatures = [value.encode() for name, value in values if name == SCHEME]
    digests = [_digest(body, secret, timestamp).encode() for secret in secrets]
    return any(
        hmac.compare_digest(digest, signature)
        for digest in digests
        for signature in signatures
    )


def _digest(body: bytes, secret: str, timestamp: str) -> str:
    signed = timestamp.encode() + b"." + body
    return hmac.new(secret.encode(), signed, sha256).hexdigest()
