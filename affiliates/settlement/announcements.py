"""Notifies outsiders and the affiliate of a sale, its refunds and its transfer."""

from __future__ import annotations

from datetime import datetime

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.core.money import rounded, to_minor
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News, money
from affiliates.outbox.types import INVOICE_SUBJECT
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import Sale, SaleReversal
from affiliates.sales.selectors import RefundChange
from affiliates.webhooks.announce import Fact, FactKind


def recorded(sale: Sale) -> Fact:
    return Fact(
        kind=FactKind.SALE_RECORDED,
        brand_id=sale.brand_id,
        subject=f"{INVOICE_SUBJECT}{sale.invoice_ref}",
        key=f"sale:{sale.pk}",
        data={
            "order_ref": sale.order_referral.order_ref,
            "invoice_ref": sale.invoice_ref,
            "renewal_number": sale.renewal_number,
            "position": sale.position,
            "affiliate": sale.affiliate.code,
            "status": sale.status,
            "reason": sale.reason,
            "net": f"{sale.net.amount:f}",
            "currency": sale.net.currency.code,
            "paid_at": sale.paid_at.isoformat(),
        },
    )


def reversed_or_restored(change: RefundChange, reversal: SaleReversal) -> Fact:
    sale, refund, cancellation = reversal.sale, change.refund, change.cancellation
    kind, about = (
        FactKind.SALE_REVERSED,
        {"refunded_at": refund.refunded_at.isoformat()},
    )
    if cancellation is not None:
        kind = FactKind.SALE_RESTORED
        about = {
            "cancellation_ref": cancellation.cancellation_ref,
            "cancelled_at": cancellation.cancelled_at.isoformat(),
        }
    return Fact(
        kind=kind,
        brand_id=sale.brand_id,
        subject=f"{INVOICE_SUBJECT}{sale.invoice_ref}",
        key=f"sale:{sale.pk}:{reversal.pk}",
        data={
            "order_ref": sale.order_referral.order_ref,
            "invoice_ref": sale.invoice_ref,
            "refund_ref": refund.refund_ref,
            "kind": refund.kind,
            "net": f"{abs(reversal.net.amount):f}",
            "currency": reversal.net.currency.code,
            **about,
        },
    )


def notify_affiliate(
    sale: Sale, referral: OrderReferral, commission: Commission | None, *, now: datetime
) -> None:
    """Sends nothing for a sale whose commission a check forbids."""
    if referral.affiliate_id is None or (
        commission is not None and commission.status == CommissionStatus.REJECTED
    ):
        return
    currency = sale.net.currency.code
    earned = commission.amount if commission is not None else 0
    email = News(
        kind=EmailKind.SALE,
        brand_id=sale.brand_id,
        affiliate_id=referral.affiliate_id,
        fact=f"{sale.pk}:{referral.affiliate_id}",
        values={
            "order": referral.order_ref,
            "invoice": sale.invoice_ref,
            "order_id": referral.pk,
            "net": money(to_minor(rounded(sale.net)), currency),
            "commission": money(earned, currency) if earned else "",
        },
    )
    notify_affiliates([email], now=now)
