"""Orders and commissions by the numbers that people know."""

from __future__ import annotations

from django.db.models import Q

from affiliates.adapter import get_adapter
from affiliates.api.serializers import TextField
from affiliates.program.models import Affiliate
from affiliates.referrals.models import MAX_REFERENCE
from affiliates.sales.models import Sale


class NumberField(TextField):
    """The number of an order or invoice, by which ``Listing.numbered`` finds rows."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            max_length=MAX_REFERENCE,
            help_text="Of an order or invoice: its number, or its reference.",
        )


def commissions_numbered(affiliate: Affiliate, number: str) -> Q:
    """Commissions of the invoice with this number, or of the order's every invoice."""
    brand_id = affiliate.brand_id
    invoices = [number, *get_adapter().invoice_refs(number, brand_id=brand_id)]
    ids = Sale.objects.order_by().filter(brand_id=brand_id).values_list("pk", flat=True)
    # Each has an index of its own, which one query of both would not use.
    numbered = ids.filter(invoice_ref__in=invoices)
    of_order = ids.filter(order_referral__order_ref=number)
    # A recruiter must not learn which order a share came from.
    return Q(share_of__isnull=True, sale__in=[*numbered, *of_order])
