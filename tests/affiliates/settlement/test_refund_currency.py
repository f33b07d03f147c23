"""A refund in another currency than its payment: kept, shown, and told anew."""

from __future__ import annotations

from itertools import permutations

import pytest
from moneyed import Money

from affiliates.commissions.models import CommissionReversal
from affiliates.errors import InvalidInput
from affiliates.order_story.selectors import order_story
from affiliates.sales.models import InvoiceRefund, Sale, SaleReversal
from tests.affiliates.till import order_of
from tests.affiliates.verification.finding import everything_found
from tests.database import nothing_written

pytestmark = pytest.mark.django_db
FINDING = (
    "Refund refund-1 is in USD, but its invoice was paid in EUR: it took nothing back. "
    "Report it again with the same reference, in EUR."
)


@pytest.fixture
def acts(plan, affiliate, buyer, till):
    return {
        "order": lambda: order_of(
            affiliate, buyer, order_ref="order-1", invoice_ref="invoice-1"
        ),
        "refund": lambda: till.refund("10.00", currency="USD"),
        "payment": till.pay,
    }


ORDERS = list(permutations(["order", "refund", "payment"]))


@pytest.mark.parametrize(
    "order", [one for one in ORDERS if one.index("refund") < one.index("payment")]
)
def test_told_before_the_payment_it_is_kept_and_named(order, acts):
    for name in order:
        acts[name]()
        if name == "order" and "payment" in order[: order.index("order")]:
            acts["payment"]()

    assert InvoiceRefund.objects.get().gross == Money("10.00", "USD")
    assert (Sale.objects.count(), SaleReversal.objects.count()) == (1, 0)
    assert everything_found() == [FINDING]
    story = order_story(Sale.objects.get().order_referral)
    told = [event.text for event in story.events]
    assert (
        "$10.00 returned, reference refund-1. It takes nothing back: the invoice was paid "
        "in EUR. The host has to tell it again with the same reference, in EUR."
    ) in told


@pytest.mark.parametrize(
    "order", [one for one in ORDERS if one.index("refund") > one.index("payment")]
)
def test_told_after_the_payment_it_is_refused(order, acts):
    for name in order:
        if name != "refund":
            acts[name]()
            continue
        with nothing_written(), pytest.raises(InvalidInput) as refusal:
            acts[name]()
        assert refusal.value.code == "currency_mismatch"

    assert InvoiceRefund.objects.count() == 0


def test_told_again_in_the_currency_of_the_payment_it_counts(acts, till):
    for name in ("order", "refund", "payment"):
        acts[name]()

    for _ in range(2):
        till.refund("50.00")

    refund = InvoiceRefund.objects.get()
    assert (refund.refund_ref, refund.gross) == ("refund-1", Money("50.00", "EUR"))
    assert SaleReversal.objects.get().net == Money("-50.00", "EUR")
    assert CommissionReversal.objects.get().amount == -500
    assert everything_found() == []


def test_one_that_took_something_back_stays_as_it_was_told(acts, till):
    acts["order"]()
    acts["payment"]()
    till.refund("50.00")

    with nothing_written(), pytest.raises(InvalidInput, match="another invoice, kind"):
        till.refund("60.00")

    assert InvoiceRefund.objects.get().gross == Money("50.00", "EUR")
    assert SaleReversal.objects.get().net == Money("-50.00", "EUR")
