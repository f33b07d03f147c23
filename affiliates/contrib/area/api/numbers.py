"""Orders and commissions by the numbers that people know."""

from __future__ import annotations

from django.db.models import Q, QuerySet

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


def orders_numbered(affiliate: Affiliate, number: str) -> Q:
    """Orders with this number, or with an invoice that has it."""
    known = get_adapter().order_refs(number, brand_id=affiliate.brand_id)
    invoiced = _sales_numbered(affiliate, number)
    ids = list(invoiced.values_list("order_referral_id", flat=True))
    return Q(order_ref__in=[number, *known]) | Q(pk__in=ids)


def commissions_numbered(affiliate: Affiliate, number: str) -> Q:
    """Commissions of the invoice with this number, or of the order's every invoice."""
    of_order = Sale.objects.order_by().filter(
        order_referral__brand_id=affiliate.brand_id, order_referral__order_ref=number
    )
    every = (_sales_numbered(affiliate, number), of_order)
    ids = [pk for sales in every for pk in sales.values_list("pk", flat=True)]
    # A recruiter must not learn which order a share came from.
    return Q(share_of__isnull=True, sale__in=ids)


def _sales_numbered(affiliate: Affiliate, number: str) -> QuerySet[Sale]:
    known = get_adapter().invoice_refs(number, brand_id=affiliate.brand_id)
    return Sale.objects.order_by().filter(
        brand_id=affiliate.brand_id, invoice_ref__in=[number, *known]
    )
