"""E-mails to an affiliate about a sale, or about a transfer to another affiliate."""

from __future__ import annotations

from datetime import datetime

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.core.money import rounded, to_minor
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News, money
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import Sale


def tell_of_sale(
    sale: Sale, referral: OrderReferral, commission: Commission | None, *, now: datetime
) -> None:
    """Sends nothing for a sale whose commission a check forbids."""
    if referral.affiliate_id is None or (
        commission is not None and commission.status == CommissionStatus.REJECTED
    ):
        return
    currency = sale.net.currency.code
    earned = commission.amount if commission is not None else 0
    news = News(
        kind=EmailKind.SALE,
        brand_id=sale.brand_id,
        affiliate_id=referral.affiliate_id,
        fact=f"{sale.pk}:{referral.affiliate_id}",
        values={
            "order": referral.order_ref,
            "net": money(to_minor(rounded(sale.net)), currency),
            "commission": money(earned, currency) if earned else "",
        },
    )
    notify_affiliates([news], now=now)
