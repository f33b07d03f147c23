"""What a key may do, and what it looks like. Pure."""

from __future__ import annotations

from hashlib import sha256

from affiliates.core.enums import LabelledEnum

# By it a key is told from any other credentials, and found where it was left lying.
KEY_PREFIX = "afk_"
SECRET_BYTES = 32
HINT_LENGTH = len(KEY_PREFIX) + 4


class Scope(LabelledEnum):
    """No scope is for where payouts go, or for keys."""

    STATISTICS = (
        "statistics",
        "Read profile, links, coupons, creatives, referrals, orders and statistics",
    )
    MONEY = "money", "Read balances, commissions, payouts and notifications"
    LINKS = "links", "Make and change links"
    CLAIMS = "claims", "Read and submit claims"
    PAYOUTS = "payouts", "Ask for payouts"


class KeyEnd(LabelledEnum):
    REVOKED = "revoked", "Revoked"
    SUSPENDED = "suspended", "Ended by the affiliate's suspension"


def digest_of(secret: str) -> str:
    """What is kept of a key: it is too random to be guessed from it."""
    return sha256(secret.encode()).hexdigest()
