"""Money arithmetic of baskets and invoices. Amounts live in the currency's minor unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from moneyed import Currency, Money

# What a money column holds: 12 digits before the point and 3 behind it.
MAX_DIGITS = 15
DECIMAL_PLACES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """Net and tax of a line or of a whole basket."""

    net: Money
    tax: Money

    @property
    def gross(self) -> Money:
        return self.net + self.tax


def minor_unit_places(currency: Currency) -> int:
    """Digits behind the point: 2 for EUR, 0 for JPY, 3 for KWD."""
    return len(str(currency.sub_unit - 1)) if currency.sub_unit > 1 else 0


def to_minor_unit(money: Money) -> Money:
    """Rounded half up to what can be paid in this currency."""
    step = Decimal(1).scaleb(-minor_unit_places(money.currency))
    return Money(money.amount.quantize(step, ROUND_HALF_UP), money.currency)


def is_payable(money: Money) -> bool:
    """True when the amount has no digits below the minor unit."""
    return to_minor_unit(money) == money


def line_amounts(*, unit_price: Money, quantity: int, tax_rate: Decimal) -> Amounts:
    """Rounded per line, so that the lines always add up to the invoice."""
    net = to_minor_unit(Money(unit_price.amount * quantity, unit_price.currency))
    tax = to_minor_unit(Money(net.amount * tax_rate / 100, net.currency))
    return Amounts(net=net, tax=tax)


def total_amounts(lines: Iterable[Amounts], *, currency: str) -> Amounts:
    nothing = to_minor_unit(Money(0, currency))
    net, tax = nothing, nothing
    for line in lines:
        net, tax = net + line.net, tax + line.tax
    return Amounts(net=net, tax=tax)


def sum_money(amounts: Iterable[Money], *, currency: Currency) -> Money:
    total = Money(0, currency)
    for amount in amounts:
        total += amount
    return total


def format_amount(money: Money) -> str:
    """``"12.50"``: a plain decimal string with the digits the currency has."""
    return f"{to_minor_unit(money).amount:f}"


def money_data(money: Money) -> dict[str, str]:
    return {"amount": format_amount(money), "currency": money.currency.code}
