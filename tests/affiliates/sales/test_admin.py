"""Orders, sales, payments and refunds in Django admin."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment, InvoiceRefund, Sale
from tests.affiliates.till import SOLD
from tests.factories.affiliates import ClickFactory
from tests.factories.ledger import (
    OrderReferralFactory,
    SaleFactory,
    SaleReversalFactory,
    decision_of,
    touch_of,
)


@pytest.fixture
def sale(affiliate, brand, host) -> Sale:
    click = ClickFactory(affiliate=affiliate, visitor_id=UUID(int=7))
    referral = OrderReferralFactory(
        brand=brand,
        client=host.client(brand, email="ada@example.com"),
        order_ref="order-a",
        invoice_ref="invoice-a",
        made=decision_of(touch_of(click)),
    )
    sale = SaleFactory(order_referral=referral, payment__payment_ref="payment-a")
    hosting = {"kind": "hosting", "billing_cycle": "annually", "net": "20.00"}
    SaleReversalFactory(
        sale=sale,
        refund__refund_ref="refund-a",
        refund__named={"lines": [hosting], "payment_ref": "payment-a"},
    )
    return sale


PAGES = ["orderreferral", "sale", "invoicepayment", "invoicerefund"]


def row_of(sale: Sale, page: str) -> int:
    return {
        "orderreferral": sale.order_referral_id,
        "sale": sale.pk,
        "invoicepayment": sale.payment_id,
        "invoicerefund": sale.reversals.get().refund_id,
    }[page]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("what", ["add", "change", "delete"])
def test_rows_are_neither_added_nor_changed_nor_deleted(admin_client, sale, page, what):
    arguments = [] if what == "add" else [row_of(sale, page)]
    url = reverse(f"admin:affiliates_{page}_{what}", args=arguments)

    answer = admin_client.post(url, {"post": "yes"})

    assert answer.status_code == 403
    for model in (OrderReferral, Sale, InvoicePayment, InvoiceRefund):
        assert model.objects.count() == 1


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("orderreferral", ["invoice-a", "Valid cookie sent"]),
        (
            "sale",
            [
                "Recorded",
                "€100.00",
                "€80.00",
                "-€20.00",
                SOLD,
                "The story of the order",
            ],
        ),
        ("invoicepayment", ["payment-a", "€119.00", f"2 × {SOLD}: €100.00"]),
        (
            "invoicerefund",
            [
                *("refund-a", "€23.80", "€20.00"),
                "hosting annually 20.00, of payment payment-a",
            ],
        ),
    ],
)
def test_row_is_shown_with_its_amounts(admin_client, sale, page, words):
    url = reverse(f"admin:affiliates_{page}_change", args=[row_of(sale, page)])

    text = admin_client.get(url).content.decode()

    for word in words:
        assert word in text


@pytest.mark.parametrize(
    ("page", "query", "count"),
    [
        ("orderreferral", {"q": "order-a"}, 1),
        ("orderreferral", {"q": "ada@example.com"}, 1),
        ("orderreferral", {"outcome__exact": "held"}, 0),
        ("orderreferral", {"reason__exact": "last_click"}, 1),
        ("sale", {"q": "partner"}, 1),
        ("sale", {"q": "order-a"}, 1),
        ("sale", {"status__exact": "held"}, 0),
        ("invoicepayment", {"q": "payment-a"}, 1),
        ("invoicepayment", {"q": "nothing"}, 0),
        ("invoicerefund", {"q": "invoice-a"}, 1),
        ("invoicerefund", {"kind__exact": "chargeback"}, 0),
    ],
)
def test_rows_are_filtered_and_searched(admin_client, sale, page, query, count):
    answer = admin_client.get(reverse(f"admin:affiliates_{page}_changelist"), query)

    assert len(answer.context["cl"].result_list) == count


@pytest.mark.parametrize("page", PAGES)
def test_list_takes_as_many_queries_for_many_rows_as_for_few(
    admin_client, sale, affiliate, brand, page
):
    url = reverse(f"admin:affiliates_{page}_changelist")
    with CaptureQueriesContext(connection) as few:
        admin_client.get(url)
    for _ in range(3):
        click = ClickFactory(affiliate=affiliate, visitor_id=UUID(int=8))
        another = SaleFactory(
            order_referral=OrderReferralFactory(
                brand=brand,
                client=sale.order_referral.client,
                made=decision_of(touch_of(click)),
            )
        )
        SaleReversalFactory(sale=another)

    with CaptureQueriesContext(connection) as many:
        answer = admin_client.get(url)

    assert len(answer.context["cl"].result_list) == 4
    assert len(many) == len(few) <= 14


def test_a_refund_is_called_by_its_invoice_and_amount(admin_client, sale):
    refund = sale.reversals.get().refund

    page = admin_client.get(
        reverse("admin:affiliates_invoicerefund_change", args=[refund.pk])
    )

    title = f"Refund of {refund.gross}, invoice {refund.invoice_ref}"
    assert title in page.content.decode()
