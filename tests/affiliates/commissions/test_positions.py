"""Invoices of nothing use up neither what is earned on new orders nor a renewal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from affiliates.commissions.models import Commission, CommissionReversal
from affiliates.errors import InvalidInput
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.sales.models import InvoicePayment, Sale
from affiliates.settlement.services import settle_all
from tests.affiliates.till import PAID_AT, order_of
from tests.affiliates.verification.finding import everything_found
from tests.database import nothing_written
from tests.factories.plans import CommissionPlanFactory

MONTH = timedelta(days=31)
NEW = {"percent": 10, "position_to": 0}
TRIAL = "0.00"


@pytest.fixture
def earns(brand):
    def earns(*rules: dict[str, Any], **plan: Any) -> None:
        CommissionPlanFactory(brand=brand, is_default=True, rules=rules, **plan)

    return earns


@pytest.fixture
def pay(order, till):
    def pay(number: int, net: str = "20.00", **fields: Any) -> None:
        """The invoice of that renewal, 0 for the initial one."""
        ref = f"renewal-{number}" if number else "invoice-1"
        at = PAID_AT + number * MONTH
        till.pay(net, invoice=ref, renewal=number, at=at, **fields)

    return pay


def earned() -> list[tuple[int, int | None, int]]:
    """Renewal, position and commission of each sale."""
    rows = Commission.objects.order_by("sale__renewal_number")
    return list(rows.values_list("sale__renewal_number", "sale__position", "amount"))


def test_first_invoice_after_a_trial_earns_as_a_new_order(earns, pay):
    earns(NEW)

    pay(0, TRIAL)
    pay(1)
    pay(2)

    assert earned() == [(0, 0, 0), (1, 0, 200), (2, 1, 0)]
    assert everything_found() == []


def test_invoices_of_nothing_in_a_row_and_between_use_up_no_renewal(earns, pay):
    earns({"percent": 10, "position_to": 1})

    for number, net in enumerate([TRIAL, TRIAL, "20.00", TRIAL, "20.00", "20.00"]):
        pay(number, net)

    assert earned() == [
        *[(0, 0, 0), (1, 0, 0), (2, 0, 200)],
        *[(3, 1, 0), (4, 1, 200), (5, 2, 0)],
    ]
    assert everything_found() == []


def test_credits_that_leave_nothing_make_an_invoice_of_nothing(earns, order, till):
    earns(NEW)

    till.pay("20.00", "-30.00", gross="0.00")
    till.pay("20.00", invoice="renewal-1", renewal=1)

    assert earned() == [(0, 0, 0), (1, 0, 200)]


def test_order_of_the_news_decides_and_later_news_changes_nothing(earns, pay):
    """The one exception to "facts first": see decision 40."""
    earns(NEW, {"percent": 5, "position_from": 1})

    pay(1)
    pay(0, TRIAL)
    pay(1)
    pay(2)

    assert earned() == [(0, 0, 0), (1, 1, 100), (2, 1, 100)]
    assert everything_found() == []


def test_what_was_told_before_the_conversion_is_all_known_then(
    earns, brand, affiliate, buyer, till
):
    earns(NEW)
    till.pay("20.00", invoice="renewal-1", renewal=1)
    till.pay(TRIAL)
    assert Sale.objects.count() == 0

    made = order_of(affiliate, buyer, order_ref="order-1", invoice_ref="invoice-1")
    settle_all(made, now=PAID_AT)

    assert earned() == [(0, 0, 0), (1, 0, 200)]


def test_host_may_state_the_position(earns, pay):
    earns(NEW)

    pay(3, position=0)
    pay(4, position=2)

    assert earned() == [(3, 0, 200), (4, 2, 0)]
    assert InvoicePayment.objects.get(invoice_ref="renewal-3").position == 0
    assert everything_found() == []


def test_initial_invoice_is_the_first_whatever_its_number(earns, pay, order, till):
    earns(NEW)

    till.pay(renewal=3, position=2)

    assert earned() == [(0, 0, 1000)]


@pytest.mark.parametrize(("renewal", "position"), [(0, 1), (2, 3), (2, -1)])
def test_position_beyond_the_renewal_is_refused(order, till, renewal, position):
    with nothing_written(), pytest.raises(InvalidInput) as refusal:
        till.pay(invoice="renewal", renewal=renewal, position=position)

    assert refusal.value.code == "invalid_position"


def test_receipt_says_what_the_renewal_counts_as(earns, pay):
    earns({"percent": 10, "position_to": 1})
    for number, net in enumerate([TRIAL, "20.00", TRIAL, "20.00", "20.00"]):
        pay(number, net)

    told = {
        commission.sale.renewal_number: explain_receipt(commission.lines.get().receipt)
        for commission in Commission.objects.order_by("sale__renewal_number")
    }

    assert told[1][1] == (
        "Renewal 1 counts as the order's first invoice: those before it were of nothing."
    )
    assert told[3][1] == (
        "Renewal 3 counts as renewal 1: invoices of nothing before it do not count."
    )
    assert told[4][1:4:2] == (
        "Renewal 4 counts as renewal 2: invoices of nothing before it do not count.",
        "The rule's payments are over: this is renewal 4.",
    )
    assert told[0][1] == "Base: €0.00 net."


STAGES = ({"percent": 30, "position_to": 2}, {"percent": 10, "position_from": 3})


def test_two_stages_through_a_trial_an_upgrade_and_refunds(earns, order, pay, till):
    """Invoices of nothing use up no position of a stage, and refunds none either."""
    earns(*STAGES)

    pay(0, TRIAL)
    pay(1)
    pay(2)
    till.refund("20.00", ref="whole", invoice="renewal-2", at=PAID_AT + 2 * MONTH)
    till.pay("50.00", "-20.00", invoice="upgrade", renewal=3, at=PAID_AT + 3 * MONTH)
    pay(4)
    pay(5, TRIAL)
    pay(6)
    till.refund("10.00", ref="half", invoice="renewal-6", at=PAID_AT + 6 * MONTH)

    assert earned() == [
        *[(0, 0, 0), (1, 0, 600), (2, 1, 600), (3, 2, 900)],
        *[(4, 3, 200), (5, 4, 0), (6, 4, 200)],
    ]
    reversed_by_renewal = CommissionReversal.objects.values_list(
        "commission__sale__renewal_number", "amount"
    )
    assert dict(reversed_by_renewal) == {2: -600, 6: -100}
    assert everything_found() == []


def test_host_may_state_the_position_of_a_stage(earns, pay):
    earns(*STAGES)

    pay(7, position=2)
    pay(8, position=3)
    pay(9, position=0)

    assert earned() == [(7, 2, 600), (8, 3, 200), (9, 0, 600)]
    assert everything_found() == []


def test_receipt_of_a_payment_after_the_last_stage_names_it(earns, pay):
    earns(*STAGES[:1], {"percent": 10, "position_from": 3, "position_to": 4})
    for number in range(6):
        pay(number)

    [line] = Commission.objects.get(sale__renewal_number=5).lines.all()
    told = explain_receipt(line.receipt)

    assert told[0].endswith("rule 2: 10 % of everything, payments 4 to 5.")
    assert told[2] == "The rule's payments are over: this is renewal 5."
    assert [amount for *_, amount in earned()] == [600, 600, 600, 200, 200, 0]
