from __future__ import annotations

from decimal import Decimal

import pytest
from moneyed import Money, get_currency

from portal.money import (
    format_amount,
    from_minor_units,
    is_payable,
    line_amounts,
    minor_unit_places,
    money_data,
    share_discount,
    sum_money,
    to_minor_unit,
    to_minor_units,
    total_amounts,
)


@pytest.mark.parametrize(
    ("_case", "currency", "places"),
    [
        ("cents", "EUR", 2),
        ("no minor unit", "JPY", 0),
        ("three digits", "KWD", 3),
        ("four digits", "CLF", 4),
    ],
)
def test_places_are_those_of_the_currency(_case, currency, places):
    assert minor_unit_places(get_currency(currency)) == places


@pytest.mark.parametrize(
    ("_case", "amount", "currency", "rounded"),
    [
        ("half goes up", "1.005", "EUR", "1.01"),
        ("below half goes down", "1.0049", "EUR", "1.00"),
        ("exact stays", "1.25", "EUR", "1.25"),
        ("whole yen", "99.5", "JPY", "100"),
        ("dinar", "1.0005", "KWD", "1.001"),
        ("negative half goes away from zero", "-1.005", "EUR", "-1.01"),
    ],
)
def test_rounds_half_up_to_the_minor_unit(_case, amount, currency, rounded):
    result = to_minor_unit(Money(amount, currency))

    assert result == Money(rounded, currency)
    assert format_amount(result) == rounded


@pytest.mark.parametrize(
    ("_case", "price", "quantity", "rate", "net", "tax"),
    [
        ("plain", "9.00", 1, "19", "9.00", "1.71"),
        ("several", "9.00", 3, "19", "27.00", "5.13"),
        ("tax rounded per line", "0.99", 1, "19", "0.99", "0.19"),
        ("tax half up", "0.50", 1, "7", "0.50", "0.04"),
        ("no tax", "12.34", 2, "0", "24.68", "0.00"),
        ("free", "0", 5, "19", "0.00", "0.00"),
        ("largest", "4999999", 1000, "100", "4999999000.00", "4999999000.00"),
    ],
)
def test_line_is_net_and_tax(_case, price, quantity, rate, net, tax):
    amounts = line_amounts(
        unit_price=Money(price, "EUR"), quantity=quantity, tax_rate=Decimal(rate)
    )

    assert amounts.net == Money(net, "EUR")
    assert amounts.tax == Money(tax, "EUR")
    assert amounts.gross == Money(net, "EUR") + Money(tax, "EUR")


def test_total_is_the_sum_of_rounded_lines():
    line = line_amounts(
        unit_price=Money("0.99", "EUR"), quantity=1, tax_rate=Decimal(19)
    )

    total = total_amounts([line, line, line], currency="EUR")

    assert total.net == Money("2.97", "EUR")
    assert total.tax == Money("0.57", "EUR")
    assert total.gross == Money("3.54", "EUR")


def test_total_of_nothing_is_zero():
    total = total_amounts([], currency="JPY")

    assert money_data(total.gross) == {"amount": "0", "currency": "JPY"}


def test_amounts_are_added_in_their_currency():
    amounts = [Money("1.10", "EUR"), Money("2.20", "EUR")]

    assert sum_money(amounts, currency=get_currency("EUR")) == Money("3.30", "EUR")
    assert sum_money([], currency=get_currency("EUR")) == Money(0, "EUR")


@pytest.mark.parametrize(
    ("_case", "amount", "currency", "expected"),
    [
        ("cents", "1.23", "EUR", True),
        ("less than a cent", "1.234", "EUR", False),
        ("trailing zero", "1.230", "EUR", True),
        ("half a yen", "1.5", "JPY", False),
    ],
)
def test_only_whole_minor_units_can_be_paid(_case, amount, currency, expected):
    assert is_payable(Money(amount, currency)) is expected


def test_large_amounts_are_written_out():
    assert format_amount(Money("1E+6", "EUR")) == "1000000.00"


@pytest.mark.parametrize(
    ("_case", "prices", "percent", "shares"),
    [
        ("one line", ["9.00"], "10", ["0.90"]),
        ("half a cent each", ["0.01", "0.01", "0.01"], "50", ["0.01", "0.00", "0.01"]),
        ("thirds", ["10.00", "10.00", "10.00"], "33.33", ["3.33", "3.34", "3.33"]),
        ("all of it", ["0.01", "9.99"], "100", ["0.01", "9.99"]),
        ("nothing", ["5.00"], "0", ["0.00"]),
        ("free", ["0.00", "1.00"], "10", ["0.00", "0.10"]),
    ],
)
def test_discount_is_shared_without_losing_a_cent(_case, prices, percent, shares):
    answer = share_discount(
        [Money(price, "EUR") for price in prices], percent_off=Decimal(percent)
    )

    assert answer == [Money(share, "EUR") for share in shares]


@pytest.mark.parametrize(
    ("amount", "currency", "money"),
    [(-12345, "EUR", "-123.45"), (700, "JPY", "700"), (1234, "KWD", "1.234")],
)
def test_minor_units_make_money_and_back(amount, currency, money):
    assert from_minor_units(amount, currency) == Money(money, currency)
    assert to_minor_units(Money(money, currency)) == amount
