"""One batch from many processes at once is applied once."""

from __future__ import annotations

import pytest

from affiliates.commissions.models import Commission
from affiliates.sales.models import InvoicePayment, SaleReversal
from tests.races import at_once, needs_postgresql


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_one_batch_is_applied_once(report, placed, paid, plan, affiliate):
    refund = {
        "event": "invoice_refunded",
        "invoice_ref": "invoice-1",
        "refund_ref": "refund-1",
        "gross": {"amount": "59.50", "currency": "EUR"},
        "refunded_at": "2026-03-02T12:00:00Z",
    }

    answers = at_once(8, lambda number: report(placed, paid, refund).json())

    assert answers == [answers[0]] * 8
    assert [row["status"] for row in answers[0]["data"]["results"]] == [200] * 3
    assert InvoicePayment.objects.count() == 1
    assert [row.amount for row in Commission.objects.all()] == [1000]
    assert [row.net.amount for row in SaleReversal.objects.all()] == [-50]
