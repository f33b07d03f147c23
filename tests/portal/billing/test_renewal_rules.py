from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from portal.billing.renewal_rules import (
    Term,
    add_months,
    due_products,
    invoiced_periods,
    is_recurring,
    next_renewal_at,
)

BEGAN = datetime(2026, 1, 31, 12, tzinfo=UTC)


@dataclass
class Line:
    product_ref: str = "plan"
    kind: str = "hosting"
    billing_cycle: str = "monthly"


def on(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("months", "moment"),
    [
        (0, on(2026, 1, 31)),
        (1, on(2026, 2, 28)),
        (2, on(2026, 3, 31)),
        (3, on(2026, 4, 30)),
        (12, on(2027, 1, 31)),
        (24, on(2028, 1, 31)),
        (25, on(2028, 2, 29)),
    ],
)
def test_months_are_counted_from_the_first_day(months, moment):
    assert add_months(BEGAN, months) == moment


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (Line(), True),
        (Line(kind="domain", billing_cycle="annually"), True),
        (Line(kind="upgrade", billing_cycle="biennially"), True),
        (Line(billing_cycle="one_time"), False),
        (Line(kind="setup"), False),
    ],
)
def test_what_recurs(line, answer):
    assert is_recurring(line) is answer


def test_each_line_runs_by_its_own_cycle():
    lines = [Line(), Line("name", "domain", "annually"), Line("move", "setup")]

    periods = invoiced_periods(lines)

    assert periods == Counter({Term("plan", 1): 1, Term("name", 12): 1})
    assert next_renewal_at(periods, began_at=BEGAN) == on(2026, 2, 28)
    assert due_products(periods, began_at=BEGAN, by=on(2026, 2, 27)) == frozenset()
    assert due_products(periods, began_at=BEGAN, by=on(2026, 2, 28)) == {"plan"}
    assert due_products(periods, began_at=BEGAN, by=on(2027, 1, 31)) == {
        "plan",
        "name",
    }


def test_nothing_that_recurs_is_never_due():
    assert next_renewal_at(Counter(), began_at=BEGAN) is None
