"""Credits and invoices of nothing, as the rules of today and of a draft count them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.contrib.what_if.draft import draft_of
from affiliates.contrib.what_if.simulate import SimulatedOutcome, simulate
from tests.factories.ledger import NOW, InvoicePaymentFactory
from tests.factories.plans import CommissionPlanFactory

DAY = timedelta(days=1)


@pytest.fixture
def what_if(brand, affiliate):
    """What 10 % of new orders and 1 % of renewals would have earned, in minor units."""
    CommissionPlanFactory(brand=brand, is_default=True, rules=[])
    plan = CommissionPlanFactory(
        brand=brand,
        rules=[
            {"percent": 10, "position_to": 0},
            {"percent": 1, "position_from": 1},
        ],
    )

    def what_if() -> int:
        outcome = SimulatedOutcome()
        drafted = draft_of(brand, changes={}, plan=plan)
        changes = simulate(
            brand, drafted, first=NOW - DAY, last=NOW + DAY, outcome=outcome
        )
        return sum(one.after.amounts["EUR"] for one in changes if one is not None)

    return what_if


@pytest.fixture
def renew(till):
    def renew(number: int, net: str = "20.00") -> None:
        till.pay(net, invoice=f"renewal-{number}", renewal=number)

    return renew


def test_credit_is_set_off(what_if, order, till):
    till.pay("90.00", "-40.00")

    assert what_if() == 500


def test_first_amount_after_a_trial_counts_as_new(what_if, order, till, renew):
    till.pay("0.00")
    renew(1)
    renew(2)

    assert what_if() == 200 + 20


def test_position_of_the_sale_stands(what_if, order, till, renew):
    renew(1)
    till.pay("0.00")

    assert what_if() == 20


def test_order_that_made_no_sale_goes_by_all_that_is_known(what_if, brand, order):
    numbered = {"brand": brand, "order_ref": order.order_ref}
    later = InvoicePaymentFactory(**numbered, renewal_number=1)
    InvoicePaymentFactory(
        **numbered,
        invoice_ref=order.invoice_ref,
        lines=[{**later.lines[0], "net": "0.00"}],
    )

    assert what_if() == 1000
