"""Bank accounts of made-up people."""

from __future__ import annotations

from zlib import crc32

BANK_CODE = "37040044"
# DE and 00, as digits: what the check digits are of.
GERMANY = "131400"


def iban_of(name: str) -> str:
    """Nobody else's: a shared one would be a signal of fraud."""
    account = f"{BANK_CODE}{crc32(name.encode()):010}"
    return f"DE{98 - int(account + GERMANY) % 97:02}{account}"
