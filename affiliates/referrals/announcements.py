"""Announces an order's referral to signals and webhooks."""

from __future__ import annotations

from datetime import datetime

from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.types import Sender, Touch
from affiliates.webhooks.announce import Fact, FactKind, announce


def announce_referral(
    referral: OrderReferral,
    *,
    winner: Touch | Sender | None,
    sequence: str = "",
    now: datetime,
) -> None:
    """``sequence`` separates the overrides of one order."""
    subject = f"order:{referral.order_ref}"
    fact = Fact(
        kind=FactKind.REFERRAL_RECORDED,
        brand_id=referral.brand_id,
        affiliate_id=referral.affiliate_id,
        subject=subject,
        key=f"{subject}:{sequence}" if sequence else subject,
        data={
            "order_ref": referral.order_ref,
            "invoice_ref": referral.invoice_ref,
            "outcome": referral.outcome,
            "reason": referral.reason,
            "affiliate": "" if winner is None else winner.affiliate_code,
            "converted_at": referral.converted_at.isoformat(),
        },
    )
    announce([fact], now=now)
