"""Finds the key of a call, and the commissions that its events made."""

from __future__ import annotations

from datetime import datetime

from affiliates.commissions.models import Commission
from affiliates.contrib.events_api.models import BrandKey
from affiliates.core.secrets.keys import digest_of
from affiliates.sales.models import Sale


def commissions_made(
    *, brand_id: int, order_ref: str, invoice_ref: str, at: datetime
) -> list[Commission]:
    """Returns the commissions of the order or invoice that were made at that moment."""
    sales = Sale.objects.filter(brand_id=brand_id)
    of_order = sales.filter(
        order_referral__brand_id=brand_id, order_referral__order_ref=order_ref
    )
    ids = {*sales.filter(invoice_ref=invoice_ref).values_list("pk", flat=True)}
    ids |= {*of_order.values_list("pk", flat=True)}
    made = Commission.objects.filter(sale_id__in=ids, events__before="", events__at=at)
    return list(made.order_by("pk"))


def find_brand_key(secret: str) -> BrandKey | None:
    """Returns the live key with its brand, or None."""
    live = BrandKey.objects.filter(ended_at__isnull=True).select_related("brand")
    return live.filter(digest=digest_of(secret)).first()
