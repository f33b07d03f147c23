"""The same events at the same time."""

from __future__ import annotations

from dataclasses import replace
from threading import Event, Timer

import pytest
from django.db import transaction
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.contracts import CancelledRefund, OrderConversion
from affiliates.errors import InvalidInput
from affiliates.host_events import invoice_paid, invoice_refunded, refund_cancelled
from affiliates.ledger.selectors import balances_of
from affiliates.outbox.models.delivery import Delivery
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.settlement.services import convert_order
from tests.affiliates.settlement.conftest import cookie_of_a_visit, make_refund
from tests.races import at_once, needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]

AT_ONCE = 50


def test_one_payment_told_many_times_at_once_makes_one_sale(
    order_referral, payment, now
):
    at_once(AT_ONCE, lambda _: invoice_paid(payment, now=now))

    assert InvoicePayment.objects.count() == 1
    assert Sale.objects.count() == 1


def test_payment_and_refunds_at_once_reverse_exactly_the_sale(
    brand, order_referral, payment, now
):
    def act(number: int) -> None:
        if number % 2:
            invoice_paid(payment, now=now)
        else:
            refund = make_refund(brand.pk, f"refund-{number}", "11.90", now)
            invoice_refunded(refund, now=now)

    at_once(20, act)

    assert Sale.objects.count() == 1
    total = sum((one.net for one in SaleReversal.objects.all()), Money(0, "EUR"))
    assert total == Money("-100.00", "EUR")


def test_payment_refunds_and_cancellations_at_once_end_the_same(
    brand, plan, order_referral, payment, now
):
    """Refunds of 11.90 and 59.50 of 119.00: half of the first is cancelled, all of the second."""

    def cancel(refund_ref: str, ref: str, gross: Money | None) -> None:
        told = CancelledRefund(
            brand_id=brand.pk,
            refund_ref=refund_ref,
            cancellation_ref=ref,
            gross=gross,
            cancelled_at=now,
        )
        refund_cancelled(told, now=now)

    acts = [
        lambda: invoice_paid(payment, now=now),
        lambda: invoice_refunded(make_refund(brand.pk, "first", "11.90", now), now=now),
        lambda: invoice_refunded(
            make_refund(brand.pk, "second", "59.50", now), now=now
        ),
        lambda: cancel("first", "part", Money("5.95", "EUR")),
        lambda: cancel("second", "all", None),
    ]

    at_once(30, lambda number: acts[number % 5]())

    assert RefundCancellation.objects.count() == 2
    total = sum((one.net for one in SaleReversal.objects.all()), Money(0, "EUR"))
    assert total == Money("-5.00", "EUR")
    commission = Commission.objects.get()
    taken = sum(one.amount for one in commission.reversals.all())
    assert (commission.status, commission.amount + taken) == ("pending", 950)
    assert balances_of(commission.affiliate_id)["EUR"]["pending"] == 950


def test_one_reference_is_of_one_refund(brand, now):
    def refund(number: int) -> str:
        told = make_refund(brand.pk, "refund-1", "11.90", now)
        try:
            invoice_refunded(replace(told, invoice_ref=f"invoice-{number}"), now=now)
        except InvalidInput as refusal:
            return refusal.code
        return ""

    codes = at_once(10, refund)

    assert sorted(codes) == ["", *["refund_exists"] * 9]
    assert InvoiceRefund.objects.count() == 1


def test_payment_and_refunds_at_once_tell_the_integration_exactly_the_sale(
    brand, third_party, payment, now
):
    def act(number: int) -> None:
        if number % 2:
            invoice_paid(payment, now=now)
        else:
            refund = make_refund(brand.pk, f"refund-{number}", "11.90", now)
            invoice_refunded(refund, now=now)

    at_once(20, act)

    assert Sale.objects.count() == 0
    sale, *reversals = Delivery.objects.order_by("id")
    assert (sale.operation, sale.payload["amount"]) == ("sale", "100.00")
    assert [one.operation for one in reversals] == ["reversal"] * 10
    assert [one.payload["amount"] for one in reversals] == ["10.00"] * 10


@pytest.fixture
def race(early_invoices, host, brand, integration, payment, now):
    """Conversion and payment of one order by the integration's link."""
    client = host.client(brand, email="client@example.com")
    order_ref = host.order(client)
    cookie = cookie_of_a_visit(integration, now)
    conversion = OrderConversion(
        order_ref=order_ref,
        client_id=str(client.pk),
        payment_details_id=host.payment_details_id(client),
    )
    paid = replace(payment, invoice_ref=f"invoice-{order_ref}", order_ref=order_ref)
    return {
        "conversion": lambda: convert_order(
            conversion=conversion,
            origin_brand_id=None,
            referral_cookie=cookie,
            now=now,
        ),
        "payment": lambda: invoice_paid(paid, now=now),
    }


def told_of_one_sale() -> bool:
    assert OrderReferral.objects.get().outcome == "third_party"
    delivery = Delivery.objects.get()
    return (delivery.operation, delivery.payload["amount"]) == ("sale", "100.00")


def test_payment_and_conversion_at_once_tell_the_integration_of_one_sale(race):
    at_once(20, lambda number: race["payment" if number % 2 else "conversion"]())

    assert told_of_one_sale()


@pytest.mark.parametrize(
    ("first", "second"), [("conversion", "payment"), ("payment", "conversion")]
)
def test_one_waits_for_the_other_that_is_not_committed_yet(race, first, second):
    is_written, may_commit = Event(), Event()

    def act(number: int) -> None:
        if number == 0:
            with transaction.atomic():
                race[first]()
                is_written.set()
                may_commit.wait(timeout=30)
        else:
            is_written.wait(timeout=30)
            # Long enough for whoever does not wait to look and find nothing.
            Timer(0.5, may_commit.set).start()
            race[second]()

    at_once(2, act)

    assert told_of_one_sale()
