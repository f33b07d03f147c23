"""The seal of a row is the same before it is written and when it is read again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from django.db import models
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.contracts import PaidInvoice, RefundedInvoice, RefundKind
from affiliates.db.seals import seal_field
from affiliates.host_events import invoice_paid, invoice_refunded
from affiliates.sales.models import InvoicePayment, InvoiceRefund
from affiliates.verification.seals import judge_seal
from tests.factories.books import CommissionFactory
from tests.factories.ledger import InvoicePaymentFactory

IN_AN_EARLIER_ZONE = datetime(
    2026, 3, 1, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=-5))
)


@pytest.mark.parametrize("gross", ["10", "10.0005", "10.0015", "99999.9994999"])
def test_of_amounts_and_times_however_the_host_writes_them(brand, gross):
    payment = PaidInvoice(
        brand_id=brand.pk,
        invoice_ref="invoice",
        order_ref="order",
        payment_ref="",
        gross=Money(gross, "EUR"),
        lines=(),
        paid_at=IN_AN_EARLIER_ZONE,
    )
    refund = RefundedInvoice(
        brand_id=brand.pk,
        invoice_ref="other",
        refund_ref="refund",
        gross=Money(gross, "EUR"),
        refunded_at=IN_AN_EARLIER_ZONE,
        kind=RefundKind.REFUND,
    )

    invoice_paid(payment, now=IN_AN_EARLIER_ZONE)
    invoice_refunded(refund, now=IN_AN_EARLIER_ZONE)
    invoice_paid(replace(payment, invoice_ref="x" * 64), now=IN_AN_EARLIER_ZONE)

    rows = [*InvoicePayment.objects.all(), *InvoiceRefund.objects.all()]
    assert [list(judge_seal(row)) for row in rows] == [[], [], []]


def test_is_broken_by_any_column_but_those_left_out(affiliate):
    commission = CommissionFactory(affiliate=affiliate)
    rows = Commission.objects.filter(pk=commission.pk)

    rows.update(status="approved", reason="By hand")
    assert list(judge_seal(rows.get())) == []

    rows.update(amount=1001)
    assert list(judge_seal(rows.get())) == [
        "is not as it was written: something else than the product changed it."
    ]


def test_is_made_anew_by_a_save_that_names_it(brand):
    payment = InvoicePaymentFactory(brand=brand)
    payment.order_ref = "another"

    payment.save(update_fields=["order_ref"])
    assert list(judge_seal(InvoicePayment.objects.get())) != []

    payment.save(update_fields=["order_ref", "seal"])
    assert list(judge_seal(InvoicePayment.objects.get())) == []


def test_is_a_plain_column_to_migrations():
    field = seal_field(Commission)

    assert field is not None
    assert field.deconstruct()[1] == "django.db.models.CharField"
    assert type(models.CharField()) is not type(field)
