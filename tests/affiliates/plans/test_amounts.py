"""Amounts for several currencies, as typed, stored and counted."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from affiliates.plans.rules.amounts import (
    amounts_text,
    check_amounts,
    days_text,
    minor_units_of,
    parse_amounts,
    parse_days,
    to_minor_units,
    to_text,
)
from tests.cases import each


@pytest.mark.parametrize(
    ("typed", "stored", "minor"),
    [
        ("", {}, {}),
        ("EUR 5", {"EUR": "5.00"}, {"EUR": 500}),
        (
            " eur 5.0 ,USD  6,",
            {"EUR": "5.00", "USD": "6.00"},
            {"EUR": 500, "USD": 600},
        ),
        (
            "JPY 500, KWD 1.5",
            {"JPY": "500", "KWD": "1.500"},
            {"JPY": 500, "KWD": 1500},
        ),
        ("5 eur, USD 6", {"EUR": "5.00", "USD": "6.00"}, {"EUR": 500, "USD": 600}),
        ("EUR 0.01", {"EUR": "0.01"}, {"EUR": 1}),
        ("EUR 10000000000", {"EUR": "10000000000.00"}, {"EUR": 10**12}),
    ],
)
def test_typed_amounts_are_stored_with_the_currencys_decimals(typed, stored, minor):
    assert parse_amounts(typed) == stored
    assert minor_units_of(stored) == minor
    assert parse_amounts(amounts_text(stored)) == stored
    assert check_amounts(stored) == stored


@each(
    ("typed", "fault"),
    [
        ("5", "5: write it as EUR 5.00, USD 6.00."),
        ("EUR5", "EUR5: write it as EUR 5.00, USD 6.00."),
        ("EUR 5,50", "50: write it as EUR 5.00, USD 6.00."),
        ("EUR 5 each", "EUR 5 each: write it as EUR 5.00, USD 6.00."),
        ("EURO 5", "EURO is no currency: write its three letters, EUR."),
        ("XXX 5", "XXX is no currency: write its three letters, EUR."),
        ("EUR 1, eur 2", "EUR is named twice: keep one of the two."),
        ("EUR 1.001", "1.001: EUR has 2 decimals."),
        ("1.5 JPY", "1.5: JPY has no decimals."),
        ("EUR 0", "0 is no amount: it must be above zero."),
        ("EUR -5", "-5 is no amount: it must be above zero."),
        ("EUR NaN", "NaN is no amount: it must be above zero."),
        ("EUR Infinity", "Infinity is no amount: it must be above zero."),
        ("EUR 1e400", "EUR 1e400 is more than can be meant."),
        ("EUR 10000000000.01", "EUR 10000000000.01 is more than can be meant."),
        ("EUR five", "five is no amount: write 5.00."),
    ],
)
def test_faulty_amounts_say_what_to_write(typed, fault):
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}$"):
        parse_amounts(typed)


@pytest.mark.parametrize("stored", [None, [], "EUR 5", 5])
def test_amounts_that_are_no_mapping_are_refused(stored):
    with pytest.raises(ValueError, match="Write an amount for each currency"):
        check_amounts(stored)


def test_days_of_billing_cycles_as_typed():
    days = parse_days("Monthly 90, annually 0")

    assert days == {"monthly": 90, "annually": 0}
    assert days_text(days) == "monthly 90, annually 0"


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("monthly", "monthly: write it as monthly 90, annually 30."),
        ("monthly -1", "-1 is no number of days."),
        ("monthly 1.5", "1.5 is no number of days."),
        ("monthly ²", "² is no number of days."),
        ("monthly 1, Monthly 2", "monthly is named twice: keep one of the two."),
    ],
)
def test_faulty_days_say_what_to_write(typed, fault):
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}$"):
        parse_days(typed)


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (0, "EUR", "0.00"),
        (1, "EUR", "0.01"),
        (-500, "EUR", "-5.00"),
        (500, "JPY", "500"),
        (500, "KWD", "0.500"),
        (10**18 + 1, "EUR", "10000000000000000.01"),
        ("750.5", "EUR", "7.505"),
        ("1000", "EUR", "10.00"),
        ("0.00001", "KWD", "0.00000001"),
    ],
)
def test_minor_units_are_read_with_the_currencys_decimals(amount, currency, text):
    assert to_text(amount, currency) == text


def test_huge_amounts_lose_no_minor_unit():
    assert to_minor_units(Decimal("9999999999999999999999.99"), "EUR") == 10**24 - 1
