"""Money arithmetic of baskets and invoices. Amounts live in the currency's minor unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from djmoney.money import Money as ReadableMoney
from moneyed import Currency, Money, get_currency

# What a money column holds: 12 digits before the point and 3 behind it.
MAX_DIGITS = 15
DECIMAL_PLACES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """Net, tax and discount of a line or of a whole basket. ``net`` is what is left
    of the price when the discount is taken off.
    """

    net: Money
    tax: Money
    discount: Money

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


def line_price(*, unit_price: Money, quantity: int) -> Money:
    """For the whole quantity, before discount and tax."""
    return to_minor_unit(Money(unit_price.amount * quantity, unit_price.currency))


def line_amounts(
    *,
    unit_price: Money,
    quantity: int,
    tax_rate: Decimal,
    discount: Money | None = None,
) -> Amounts:
    """Rounded per line, so that the lines always add up to the invoice."""
    price = line_price(unit_price=unit_price, quantity=quantity)
    discount = discount or price * 0
    net = price - discount
    tax = to_minor_unit(Money(net.amount * tax_rate / 100, net.currency))
    return Amounts(net=net, tax=tax, discount=discount)


def share_discount(prices: Sequence[Money], *, percent_off: Decimal) -> list[Money]:
    """Returns each price's share of the discount; together exactly the whole discount.

    The running total is rounded, not each share: so no minor unit is lost or made.
    """
    shares: list[Money] = []
    before, shared = Decimal(0), Decimal(0)
    for price in prices:
        before += price.amount
        total = to_minor_unit(Money(before * percent_off / 100, price.currency))
        shares.append(Money(total.amount - shared, price.currency))
        shared = total.amount
    return shares


def total_amounts(lines: Iterable[Amounts], *, currency: str) -> Amounts:
    nothing = to_minor_unit(Money(0, currency))
    net, tax, discount = nothing, nothing, nothing
    for line in lines:
        net, tax = net + line.net, tax + line.tax
        discount += line.discount
    return Amounts(net=net, tax=tax, discount=discount)


def from_minor_units(amount: int, currency: str) -> Money:
    """12345 and EUR make 123.45 EUR, written as columns of money are."""
    places = minor_unit_places(get_currency(currency))
    money: Money = ReadableMoney(Decimal(amount).scaleb(-places), currency)
    return money


def to_minor_units(money: Money) -> int:
    """Returns a payable amount in minor units: 123.45 EUR make 12345."""
    return int(money.amount.scaleb(minor_unit_places(money.currency)))


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
