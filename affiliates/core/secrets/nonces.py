"""Nonces for what is encrypted often."""

from __future__ import annotations

import os

from affiliates.core.secrets.sealing import NONCE_LENGTH

FETCHED_AT_ONCE = 100

_ready: list[bytes] = []
# A child must not use its parent's: a nonce is used once.
os.register_at_fork(after_in_child=_ready.clear)


def new_nonce() -> bytes:
    """Random bytes of the operating system, never used before.

    Many are fetched at once: the call releases Python's lock, and with many threads
    waiting for the lock that costs more than the encryption.
    """
    try:
        return _ready.pop()
    except IndexError:
        fetched = os.urandom(NONCE_LENGTH * FETCHED_AT_ONCE)
        starts = range(0, len(fetched), NONCE_LENGTH)
        own, *others = (fetched[start : start + NONCE_LENGTH] for start in starts)
        _ready.extend(others)
        return own
