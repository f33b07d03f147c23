from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st
from moneyed import CURRENCIES, Money, get_currency

from affiliates.core.money import (
    from_minor,
    local_text,
    minor_unit,
    rounded,
    rounded_minor,
    spoken_text,
    to_minor,
)


@pytest.mark.parametrize(
    ("code", "unit"), [("EUR", "0.01"), ("JPY", "1"), ("KWD", "0.001")]
)
def test_minor_unit(code, unit):
    assert minor_unit(get_currency(code)) == Decimal(unit)


@pytest.mark.parametrize(
    ("amount", "currency", "units"),
    [
        ("12.50", "EUR", 1250),
        ("-0.01", "EUR", -1),
        ("0", "EUR", 0),
        ("12.500", "EUR", 1250),
        ("1E+3", "EUR", 100_000),
        ("1250", "JPY", 1250),
        ("1.234", "KWD", 1234),
        ("0.0001", "CLF", 1),
        ("92233720368547758.07", "EUR", 2**63 - 1),
    ],
)
def test_to_minor(amount, currency, units):
    assert to_minor(Money(amount, currency)) == units
    assert from_minor(units, currency) == Money(amount, currency)


@pytest.mark.parametrize(
    ("amount", "currency", "fault"),
    [
        ("0.001", "EUR", "0.001: EUR has 2 decimals."),
        ("-12.505", "EUR", "-12.505: EUR has 2 decimals."),
        ("100.5", "JPY", "100.5: JPY has no decimals."),
        ("1.2345", "KWD", "1.2345: KWD has 3 decimals."),
        ("NaN", "EUR", "NaN is no amount of money."),
        ("Infinity", "EUR", "Infinity is no amount of money."),
    ],
)
def test_to_minor_refuses_and_names_what_was_typed(amount, currency, fault):
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}$"):
        to_minor(Money(amount, currency))


@pytest.mark.parametrize(
    ("amount", "currency", "language", "text"),
    [
        ("1.234", "KWD", "en", "KWD\N{NO-BREAK SPACE}1.234"),
        ("-5.00", "CHF", "en", "-CHF\N{NO-BREAK SPACE}5.00"),
        ("5.00", "CHF", "de", "5,00\N{NO-BREAK SPACE}CHF"),
        ("12.50", "EUR", "en", "€12.50"),
        ("5.00", "CAD", "en", "CA$5.00"),
    ],
)
def test_code_of_a_currency_stands_apart_from_the_number(
    amount, currency, language, text
):
    assert local_text(Money(amount, currency), language) == text


def test_from_minor_shows_every_digit_of_the_currency():
    shown = [str(from_minor(1200, code).amount) for code in ("EUR", "JPY", "KWD")]

    assert shown == ["12.00", "1200", "1.200"]


@given(units=st.integers(-(2**63), 2**63 - 1), code=st.sampled_from(sorted(CURRENCIES)))
def test_minor_units_come_back(units, code):
    assert to_minor(from_minor(units, code)) == units


@given(
    amount=st.decimals(-(10**12), 10**12, places=6),
    currency=st.sampled_from(["EUR", "JPY", "KWD"]).map(get_currency),
)
def test_decimal_numbers_are_rounded_as_money_is(amount, currency):
    expected = to_minor(rounded(Money(amount, currency)))

    assert rounded_minor(str(amount), currency) == expected


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "1e30", ""])
def test_what_is_no_amount_has_no_minor_units(amount):
    with pytest.raises((ArithmeticError, ValueError)):
        rounded_minor(amount, get_currency("EUR"))


@pytest.mark.parametrize(
    ("language", "decimal", "currency", "text"),
    [
        ("en", "1234.50", "EUR", "€1,234.50"),
        ("en-gb", "0.00125", "EUR", "€0.00125"),
        ("fr", "1234.50", "EUR", "€1,234.50"),
        ("de", "1234.50", "EUR", "1.234,50\xa0€"),
        ("de-at", "-0.00125", "EUR", "-0,00125\xa0€"),
        ("de", "1250", "JPY", "1.250\xa0¥"),
        ("de", "1250.5", "JPY", "1.250,5\xa0¥"),
    ],
)
def test_amounts_in_sentences_are_of_the_language_that_these_are_in(
    language, decimal, currency, text
):
    with translation.override(language):
        assert spoken_text(decimal, currency) == text
