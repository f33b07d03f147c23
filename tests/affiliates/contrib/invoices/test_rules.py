from __future__ import annotations

import pytest

from affiliates.contrib.invoices.rules import (
    DIFFERS,
    MISSING,
    judge_total,
    state_of,
    sums_fault,
)
from affiliates.payouts.rules import is_needed

ADDS_UP = "Net amount and tax do not add up to the total."
BELOW = "The net amount is above zero, and the tax not below."


@pytest.mark.parametrize(
    ("needed_from", "currency", "amount", "expected"),
    [
        ({}, "EUR", 10_000, False),
        ({"EUR": 0}, "EUR", 1, True),
        ({"EUR": 0}, "USD", 10_000, False),
        ({"EUR": 60_000}, "EUR", 59_999, False),
        ({"EUR": 60_000}, "EUR", 60_000, True),
    ],
)
def test_payouts_that_wait(needed_from, currency, amount, expected):
    assert is_needed(needed_from, currency=currency, amount=amount) is expected


@pytest.mark.parametrize(
    ("total", "expected"),
    [(None, MISSING), (9_999, DIFFERS), (10_001, DIFFERS), (10_000, None)],
)
def test_the_total_is_the_payouts_amount(total, expected):
    assert judge_total(total, amount=10_000) == expected


@pytest.mark.parametrize(
    ("net", "tax", "total", "fault"),
    [
        (8_403, 1_597, 10_000, ""),
        (10_000, 0, 10_000, ""),
        (10_000, 1_900, 10_000, ADDS_UP),
        (0, 10_000, 10_000, BELOW),
        (11_000, -1_000, 10_000, BELOW),
        (-1, 1, 0, BELOW),
    ],
)
def test_sums(net, tax, total, fault):
    assert sums_fault(net=net, tax=tax, total=total) == fault


@pytest.mark.parametrize(
    ("end", "status", "is_equal", "expected"),
    [
        ("", "requested", True, "waits"),
        ("", "requested", False, "differs"),
        ("", "approved", True, "accepted"),
        ("", "exported", True, "accepted"),
        ("", "paid", True, "accepted"),
        ("", "rejected", True, "unused"),
        ("", "returned", True, "unused"),
        ("replaced", "paid", True, "replaced"),
        ("refused", "requested", False, "refused"),
    ],
)
def test_states(end, status, is_equal, expected):
    assert state_of(end, status=status, is_equal=is_equal) == expected
