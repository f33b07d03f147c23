"""Credits of an invoice lower what its other lines earn, and verification sees it."""

from __future__ import annotations

from typing import Any

import pytest

from affiliates.commissions.models import Commission, CommissionLine
from affiliates.ledger.rules import Account
from affiliates.plans.rules.computation import recompute_line
from tests.affiliates.verification.finding import everything_found, found_after
from tests.append_only import unguarded
from tests.factories.plans import CommissionPlanFactory

UNSEALED = "is not as it was written"


@pytest.fixture
def twenty_percent(brand):
    return CommissionPlanFactory(
        brand=brand, is_default=True, rules=[{"percent": "20"}]
    )


def test_credit_for_the_old_plan_is_set_off_before_the_rate(
    twenty_percent, order, till, balance
):
    till.pay("90.00", "-40.00")

    commission = Commission.objects.get()
    assert commission.amount == 1000
    assert [line.amount for line in commission.lines.all()] == [1000, 0]
    assert balance() == {Account.EXPENSE: -1000, Account.PENDING: 1000}
    assert everything_found() == []


def test_refund_takes_back_its_part_of_what_the_credit_left(
    twenty_percent, order, till
):
    till.pay("90.00", "-40.00", gross="59.50")

    till.refund("29.75")

    assert Commission.objects.get().reversals.get().amount == -500
    assert everything_found() == []


def test_invoice_of_more_credits_than_sales_earns_nothing(twenty_percent, order, till):
    till.pay("40.00", "-90.00", gross="0.00")

    assert Commission.objects.get().amount == 0
    assert everything_found() == []


@pytest.mark.parametrize("taken", [0, 3000])
def test_verification_finds_a_set_off_that_does_not_follow_from_the_lines(
    twenty_percent, order, till, taken
):
    till.pay("90.00", "-40.00")
    first, credit = CommissionLine.objects.order_by("position")

    @unguarded()
    def forge() -> None:
        """So that each line follows from its receipt, and the amounts from the lines."""
        _set_off(first, 2, taken)
        _set_off(credit, 1, -taken)

    found = [one for one in found_after(forge) if UNSEALED not in one]

    assert (
        f"Commission {first.commission_id} has receipts whose credits are set off "
        "otherwise than its lines say."
    ) in found
    assert not any("does not follow from its inputs" in one for one in found)


def _set_off(line: CommissionLine, other: int, amount: int) -> None:
    receipt: dict[str, Any] = line.receipt
    receipt["inputs"]["set_off"] = [{"line": other, "amount": amount}] if amount else []
    base = receipt["inputs"]["net"] - amount
    receipt["steps"][0] |= {"set_off": amount, "amount": base}
    line.amount = recompute_line(receipt)
    if line.amount:
        exact = str(line.amount)
        receipt["steps"][1] |= {"of": base, "amount": exact}
        receipt["steps"][2]["amount"] = line.amount
    receipt["amount"] = line.amount
    line.save()
