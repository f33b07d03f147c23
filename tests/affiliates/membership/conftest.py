from __future__ import annotations

from tests.affiliates.settlement.conftest import (
    both,
    integration,
    order_referral,
    payment,
    refund,
    third_party,
)

__all__ = [
    "both",
    "integration",
    "order_referral",
    "payment",
    "refund",
    "third_party",
]
