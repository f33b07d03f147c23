"""Finds the key of a call, and the commissions that its events made."""

from __future__ import annotations

from datetime import datetime

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.events_api.models import BrandKey
from affiliates.core.secrets.keys import digest_of
from affiliates.db.accounts import key_of
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import InvoiceRefund, Sale

# What is held, rejected or reversed at once uses up no cap.
COUNTED = (
    CommissionStatus.PENDING,
    CommissionStatus.MATURED,
    CommissionStatus.APPROVED,
)


def commissions_made(
    *, brand_id: int, order_ref: str, invoice_ref: str, refund_ref: str, at: datetime
) -> list[Commission]:
    """Returns the commissions of these references that began to count at that moment.

    They were made then, or restored after a refund.
    """
    sales = Sale.objects.filter(brand_id=brand_id)
    of_order = sales.filter(
        order_referral__brand_id=brand_id, order_referral__order_ref=order_ref
    )
    of_refund = InvoiceRefund.objects.filter(brand_id=brand_id, refund_ref=refund_ref)
    invoices = {invoice_ref, *of_refund.values_list("invoice_ref", flat=True)}
    ids = {*sales.filter(invoice_ref__in=invoices).values_list("pk", flat=True)}
    ids |= {*of_order.values_list("pk", flat=True)}
    made = Commission.objects.filter(
        sale_id__in=ids,
        events__before__in=["", CommissionStatus.REVERSED],
        events__at=at,
    )
    return list(made.filter(status__in=COUNTED).order_by("pk").distinct())


def find_brand_key(secret: str) -> BrandKey | None:
    """Returns the live key with its brand, or None."""
    live = BrandKey.objects.filter(ended_at__isnull=True).select_related("brand")
    return live.filter(digest=digest_of(secret)).first()


def brands_with(client_id: str) -> set[int]:
    """Returns the brands with rows of a client that the host does not know any more."""
    key = key_of(client_id)
    if key is None:
        return set()
    rows = (
        Affiliate.objects.filter(user_id=key),
        ClientReferral.objects.filter(client_id=key),
        OrderReferral.objects.filter(client_id=key),
    )
    return {
        brand
        for row in rows
        for brand in row.values_list("brand_id", flat=True).order_by()
    }
