from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from moneyed import Money

from affiliates.contracts import InvoiceLine, PaidInvoice, RefundedInvoice
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules import Outcome, Reason

ORDER_REF = "order-1"
INVOICE_REF = "invoice-1"


@pytest.fixture
def order_referral(affiliate, host, brand, now) -> OrderReferral:
    """An order credited to the affiliate, converted to its initial invoice."""
    client = host.client(brand, email="client@example.com")
    return OrderReferral.objects.create(
        brand=brand,
        order_ref=ORDER_REF,
        invoice_ref=INVOICE_REF,
        client=client,
        outcome=Outcome.CREDITED.value,
        reason=Reason.LAST_CLICK.value,
        affiliate=affiliate,
        click_id=UUID(int=1),
        touched_at=now - timedelta(days=1),
        converted_at=now,
        decision={},
    )


@pytest.fixture
def payment(brand, now: datetime) -> PaidInvoice:
    """119.00 EUR gross for two lines of together 100.00 EUR net."""
    return PaidInvoice(
        brand_id=brand.pk,
        invoice_ref=INVOICE_REF,
        order_ref=ORDER_REF,
        payment_ref="payment-1",
        gross=Money("119.00", "EUR"),
        lines=(line("Hosting", "90.00"), line("Setup", "10.00")),
        paid_at=now + timedelta(minutes=5),
    )


@pytest.fixture
def refund(brand, now: datetime) -> RefundedInvoice:
    return make_refund(brand.pk, "refund-1", "59.50", now)


def make_refund(
    brand_id: int, ref: str, gross: str, now: datetime, currency: str = "EUR"
) -> RefundedInvoice:
    return RefundedInvoice(
        brand_id=brand_id,
        invoice_ref=INVOICE_REF,
        refund_ref=ref,
        gross=Money(gross, currency),
        refunded_at=now + timedelta(days=1),
    )


def line(description: str, net: str) -> InvoiceLine:
    return InvoiceLine(
        description=description,
        product_ref="product-1",
        kind="hosting",
        billing_cycle="monthly",
        quantity=1,
        net=Money(net, "EUR"),
    )
