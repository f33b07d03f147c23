"""Money to the minor unit of its currency."""

from __future__ import annotations

from decimal import Decimal

from moneyed import Currency


def minor_unit(currency: Currency) -> Decimal:
    """The smallest amount of the currency: 0.01 for EUR, 1 for JPY, 0.001 for KWD."""
    return Decimal(1) / Decimal(currency.sub_unit)
