"""Money to the minor unit of its currency."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from moneyed import Currency, CurrencyDoesNotExist, Money, get_currency
from moneyed.l10n import format_money

from affiliates.core.language import ENGLISH, text_language

# Of a currency without a symbol: KWD 1.234.
AFTER_CODE = re.compile(r"(?<=[A-Z])(?=\d)")
# Limited, since a number such as 1e999999999 would take long to compute with.
_AMOUNT = re.compile(r"[0-9]{1,18}(\.[0-9]{1,6})?")


def minor_unit(currency: Currency) -> Decimal:
    """The smallest amount of the currency: 0.01 for EUR, 1 for JPY, 0.001 for KWD."""
    return Decimal(1) / Decimal(currency.sub_unit)


def to_minor(money: Money) -> int:
    """The amount in minor units: 1250 for 12.50 EUR.

    Raises ValueError for an amount finer than the minor unit.
    """
    amount = money.amount
    if not amount.is_finite():
        raise ValueError(f"{amount} is no amount of money.")
    numerator, denominator = amount.as_integer_ratio()
    units, rest = divmod(numerator * money.currency.sub_unit, denominator)
    if rest:
        raise ValueError(too_fine_text(amount, money.currency))
    return units


def rounded_minor(amount: str, currency: Currency) -> int:
    """A decimal number in minor units, rounded like ``rounded`` but without Money."""
    exact = Decimal(amount).quantize(minor_unit(currency), ROUND_HALF_UP)
    units = exact * currency.sub_unit
    if units % 1:
        raise ValueError(too_fine_text(amount, currency))
    return int(units)


def too_fine_text(amount: Decimal | str, currency: Currency) -> str:
    """The amount as typed, and what its currency allows: "100.5: JPY has no decimals."."""
    decimals = len(str(currency.sub_unit)) - 1
    allowed = f"{decimals} decimals" if decimals else "no decimals"
    return f"{amount}: {currency.code} has {allowed}."


def code_and_amount(first: str, second: str) -> tuple[str, str]:
    """Both as typed, in either order: "EUR 50" or "50 EUR"."""
    is_turned = second.isalpha() and not first.isalpha()
    return (second, first) if is_turned else (first, second)


def rounded(money: Money) -> Money:
    """Rounds to the minor unit, half up: a host may compute finer than can be paid."""
    unit = minor_unit(money.currency)
    return Money(money.amount.quantize(unit, ROUND_HALF_UP), money.currency)


def from_minor(amount: int, currency: str) -> Money:
    """Minor units of the currency with this ISO code, as money."""
    known = get_currency(currency)
    return Money(amount * minor_unit(known), known)


def minor_amount(text: str, currency: str) -> int | None:
    """A decimal number in minor units, None if it is no amount of this currency."""
    if not _AMOUNT.fullmatch(text):
        return None
    try:
        return to_minor(Money(Decimal(text), currency))
    except (CurrencyDoesNotExist, ValueError):
        return None


def decimal_text(amount: int, currency: str) -> str:
    """Minor units as a decimal number: 1250 of EUR is 12.50, 1250 of JPY 1250."""
    return f"{amount * minor_unit(get_currency(currency)):f}"


def plain_text(number: Decimal) -> str:
    """Without zeros at the end: 20 for 20.000."""
    return f"{number.normalize():f}"


def local_text(money: Money, language: str) -> str:
    """The amount with every digit, for people: €12.50, or 12,50 € in German."""
    text = format_money(
        money, locale=language.replace("-", "_"), decimal_quantization=False
    )
    return AFTER_CODE.sub("\N{NO-BREAK SPACE}", text)


def spoken_text(decimal: str, currency: str) -> str:
    """The amount in the language of the sentence around it."""
    return local_text(Money(Decimal(decimal), currency), text_language())


def exact_text(amount: Decimal, currency: str) -> str:
    """For texts that are stored: in English, €12.50."""
    return local_text(Money(amount, currency), ENGLISH)


def amount_text(amount: int, currency: str) -> str:
    """Returns ``exact_text`` of an amount in minor units."""
    return exact_text(from_minor(amount, currency).amount, currency)
