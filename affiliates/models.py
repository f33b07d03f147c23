"""Django's meeting point: the models of the domains."""

from __future__ import annotations

from affiliates.brands.models import Brand, BrandDomain, ConfigVersion
from affiliates.ledger.models import (
    InvoicePayment,
    InvoiceRefund,
    Sale,
    SaleLine,
    SaleReversal,
)
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.models import Click

__all__ = [
    "Affiliate",
    "AffiliateLink",
    "Brand",
    "BrandDomain",
    "Click",
    "ClientReferral",
    "ConfigVersion",
    "InvoicePayment",
    "InvoiceRefund",
    "OrderReferral",
    "Sale",
    "SaleLine",
    "SaleReversal",
]
