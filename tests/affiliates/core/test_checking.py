"""Values at the seam are checked where they are made."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from moneyed import Money

from affiliates.contracts import InvoiceLine, OrderPlaced, PaidInvoice, RefundedInvoice
from affiliates.errors import InvalidInput

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEN = Money("10.00", "EUR")
LINE = {
    "description": "Web hosting",
    "product_ref": "web",
    "kind": "hosting",
    "billing_cycle": "Monthly",
    "quantity": 1,
    "net": TEN,
}
ORDER = {
    "brand_id": 1,
    "order_ref": "903",
    "invoice_ref": "invoice-1",
    "client_id": "7",
    "placed_at": NOW,
    "client_paid_before": False,
}
PAYMENT = {
    "brand_id": 1,
    "invoice_ref": "invoice-1",
    "order_ref": "903",
    "payment_ref": "payment-1",
    "gross": TEN,
    "lines": (InvoiceLine(**LINE),),
    "paid_at": NOW,
}
REFUND = {
    "brand_id": 1,
    "invoice_ref": "invoice-1",
    "refund_ref": "refund-1",
    "gross": TEN,
    "refunded_at": NOW,
}


@pytest.mark.parametrize(
    ("value", "fields", "name", "sentence"),
    [
        (OrderPlaced, ORDER, "order_ref", (903, "text, not int (903)")),
        (OrderPlaced, ORDER, "brand_id", (True, "a whole number, not bool (True)")),
        (
            OrderPlaced,
            ORDER,
            "placed_at",
            (
                NOW.replace(tzinfo=None),
                "a time with a time zone, not a time without a time zone",
            ),
        ),
        (
            OrderPlaced,
            ORDER,
            "created_at",
            ("2026", "a time with a time zone or None, not str ('2026')"),
        ),
        (
            PaidInvoice,
            PAYMENT,
            "gross",
            (
                Decimal(10),
                "an amount with a currency (Money), not Decimal (Decimal('10'))",
            ),
        ),
        (
            PaidInvoice,
            PAYMENT,
            "lines",
            ((7,), "a tuple of which each is InvoiceLine, not tuple ((7,))"),
        ),
        (
            RefundedInvoice,
            REFUND,
            "kind",
            ("partial", "one of refund, chargeback, not str ('partial')"),
        ),
    ],
)
def test_a_value_of_another_type_is_refused_in_words(value, fields, name, sentence):
    wrong, words = sentence

    with pytest.raises(InvalidInput) as refusal:
        value(**fields | {name: wrong})

    assert (refusal.value.code, refusal.value.field) == ("invalid_type", name)
    assert refusal.value.detail == f"{value.__name__}.{name} must be {words}."


def test_right_values_pass_as_they_are():
    assert InvoiceLine(**LINE).billing_cycle == "Monthly"
    assert InvoiceLine(**LINE | {"billing_cycle": "once"}).billing_cycle == "once"
    assert OrderPlaced(**ORDER).order_ref == "903"
    assert PaidInvoice(**PAYMENT).gross == TEN
    assert RefundedInvoice(**REFUND).kind == "refund"
