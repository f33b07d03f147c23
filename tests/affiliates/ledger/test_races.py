"""The same events at the same time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from moneyed import Money

from affiliates.host_events import invoice_paid, invoice_refunded
from affiliates.ledger.models import InvoicePayment, Sale, SaleLine, SaleReversal
from tests.affiliates.ledger.conftest import make_refund
from tests.races import at_once, needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]

AT_ONCE = 50


def test_one_payment_told_many_times_at_once_makes_one_sale(
    order_referral, payment, now
):
    at_once(AT_ONCE, lambda _: invoice_paid(payment, now=now))

    assert InvoicePayment.objects.count() == 1
    assert Sale.objects.count() == 1
    assert SaleLine.objects.count() == 2


def test_payment_and_refunds_at_once_reverse_exactly_the_sale(
    brand, order_referral, payment, now
):
    def act(number: int) -> None:
        if number % 2:
            invoice_paid(replace(payment, payment_ref=f"payment-{number}"), now=now)
        else:
            refund = make_refund(brand.pk, f"refund-{number}", "11.90", now)
            invoice_refunded(refund, now=now)

    at_once(20, act)

    assert Sale.objects.count() == 1
    total = sum((one.net for one in SaleReversal.objects.all()), Money(0, "EUR"))
    assert total == Money("-100.00", "EUR")
