"""Amounts for several currencies: as staff type them, as stored, and in minor units.

Typed "EUR 5.00, USD 6.00"; stored {"EUR": "5.00", "USD": "6.00"}. Every fault raises a
``ValueError`` that says what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Context, Decimal, InvalidOperation

from moneyed import Currency, CurrencyDoesNotExist, get_currency

from affiliates.core.money import code_and_amount, too_fine_text

# Ten billion of a currency with two decimals: a larger amount is a typing error.
MAX_MINOR_UNITS = 10**12
# ISO 4217's codes for tests and for "no currency".
NO_CURRENCIES = ("XTS", "XXX")
# Keeps every digit.
EXACT = Context(prec=60)


def parse_amounts(text: str) -> dict[str, str]:
    """Converts typed amounts to their stored form."""
    amounts: dict[str, str] = {}
    for pair in _pairs(text, example="EUR 5.00, USD 6.00"):
        code, amount = code_and_amount(*pair)
        if code.upper() in amounts:
            raise ValueError(f"{code.upper()} is named twice: keep one of the two.")
        amounts |= check_amounts({code: amount})
    return amounts


def check_amounts(amounts: object) -> dict[str, str]:
    """The amounts in their stored form: every decimal of the currency, none beyond."""
    if not isinstance(amounts, Mapping):
        raise ValueError("Write an amount for each currency: EUR 5.00, USD 6.00.")
    return {
        currency.code: to_text(_minor_units(amount, currency), currency.code)
        for currency, amount in (
            (currency_of(str(code)), str(amount)) for code, amount in amounts.items()
        )
    }


def minor_units_of(amounts: Mapping[str, str]) -> dict[str, int]:
    return {
        code: _minor_units(amount, currency_of(code))
        for code, amount in amounts.items()
    }


def to_minor_units(amount: Decimal, currency: str) -> int:
    """Raises ``ValueError`` if the currency has no such small amounts."""
    exact = EXACT.multiply(amount, Decimal(currency_of(currency).sub_unit))
    if exact != exact.to_integral_value(context=EXACT):
        raise ValueError(too_fine_text(amount, currency_of(currency)))
    return int(exact)


def to_text(amount: int | str, currency: str) -> str:
    """Minor units, perhaps fractions of them, with the currency's decimals."""
    decimals = _decimals(currency_of(currency))
    whole = EXACT.scaleb(Decimal(amount), -decimals)
    least = EXACT.scaleb(Decimal(1), -decimals)
    shown = (
        whole
        if whole != EXACT.quantize(whole, least)
        else whole.quantize(least, context=EXACT)
    )
    return f"{shown:f}"


def amounts_text(amounts: Mapping[str, str]) -> str:
    return ", ".join(f"{code} {amount}" for code, amount in amounts.items())


def parse_days(text: str) -> dict[str, int]:
    """Days for each billing cycle, as typed: "monthly 90, annually 30"."""
    days: dict[str, int] = {}
    for cycle, number in _pairs(text, example="monthly 90, annually 30"):
        if cycle.lower() in days:
            raise ValueError(f"{cycle.lower()} is named twice: keep one of the two.")
        if not (number.isascii() and number.isdigit()):
            raise ValueError(f"{number} is no number of days.")
        days[cycle.lower()] = int(number)
    return days


def days_text(days: Mapping[str, int]) -> str:
    return ", ".join(f"{cycle} {number}" for cycle, number in days.items())


def currency_of(code: str) -> Currency:
    try:
        currency = get_currency(code.upper())
    except CurrencyDoesNotExist:
        currency = None
    if currency is None or currency.code in NO_CURRENCIES:
        raise ValueError(f"{code} is no currency: write its three letters, EUR.")
    return currency


def _minor_units(amount: str, currency: Currency) -> int:
    try:
        number = Decimal(amount)
    except InvalidOperation:
        raise ValueError(f"{amount} is no amount: write 5.00.") from None
    if not number.is_finite() or number <= 0:
        raise ValueError(f"{amount} is no amount: it must be above zero.")
    if number > MAX_MINOR_UNITS:
        raise ValueError(f"{currency.code} {amount} is more than can be meant.")
    minor = to_minor_units(number, currency.code)
    if minor > MAX_MINOR_UNITS:
        raise ValueError(f"{currency.code} {amount} is more than can be meant.")
    return minor


def _decimals(currency: Currency) -> int:
    return len(str(currency.sub_unit)) - 1


def _pairs(text: str, *, example: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, (part.strip() for part in text.split(","))):
        words = part.split()
        if len(words) != 2:
            raise ValueError(f"{part}: write it as {example}.")
        yield words[0], words[1]
