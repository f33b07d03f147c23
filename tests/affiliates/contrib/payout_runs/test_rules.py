"""References and amounts of strangers, and what differs between two runs."""

from __future__ import annotations

import pytest

from affiliates.contrib.payout_runs.paypal_results import read_csv
from affiliates.contrib.payout_runs.rules import (
    Difference,
    differences,
    minor_amount,
)
from affiliates.payouts.providers.references import payout_number


@pytest.mark.parametrize(
    ("reference", "number"),
    [
        ("PAYOUT-17", 17),
        (" PAYOUT-17 ", 17),
        ("17", None),
        ("payout-17", None),
        ("PAYOUT-", None),
        ("PAYOUT--17", None),
        ("PAYOUT-١٧", None),
        ("PAYOUT-17x", None),
        ("PAYOUT-1 7", None),
        ("PAYOUT-" + "9" * 30, None),
        ("", None),
    ],
)
def test_only_our_references_name_a_payout(reference, number):
    assert payout_number(reference) == number


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("12.50", "EUR", 1250),
        ("12.500", "EUR", 1250),
        ("12.505", "EUR", None),
        ("12", "JPY", 12),
        ("12.5", "JPY", None),
        ("12.505", "KWD", 12505),
        ("1e999999999", "EUR", None),
        ("NaN", "EUR", None),
        ("-12.50", "EUR", None),
        ("١٢", "EUR", None),
        ("12.50", "XXY", None),
        ("", "EUR", None),
    ],
)
def test_amounts_are_plain_decimal_numbers(text, currency, minor):
    assert minor_amount(text, currency) == minor


def test_no_database_refuses_what_a_report_says():
    [entry] = read_csv(
        b"Unique ID,Amount,Currency,Status,Transaction ID\nPAYOUT-1,1,EUR,SUCCESS,\x00\n",
        limit=1,
    )

    assert entry.remote_ref == ""


def test_differences_begin_with_the_largest():
    before = {("a", "EUR"): 100, ("b", "EUR"): 500, ("same", "EUR"): 7}
    now = {("a", "EUR"): 150, ("c", "USD"): 80, ("same", "EUR"): 7}

    assert differences(before, now) == [
        Difference(affiliate="b", currency="EUR", before=500, now=0),
        Difference(affiliate="c", currency="USD", before=0, now=80),
        Difference(affiliate="a", currency="EUR", before=100, now=150),
    ]
