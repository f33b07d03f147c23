"""An invoice line as the plans compute with it: amounts in minor units. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from moneyed import Currency, Money

from affiliates.core.money import minor_unit, to_minor
from affiliates.program.plans.rules import LineFacts


def in_minor_units(amount: Decimal, currency: Currency) -> int:
    """Rounded half up: a host may compute finer than its currency is paid in."""
    return to_minor(
        Money(amount.quantize(minor_unit(currency), ROUND_HALF_UP), currency)
    )


def line_facts(
    stored: Mapping[str, Any], *, position: int, currency: Currency
) -> LineFacts:
    """A line as ``InvoicePayment.lines`` holds it."""
    return LineFacts(
        position=position,
        description=stored["description"],
        product_ref=stored["product_ref"],
        kind=stored["kind"],
        tld=stored.get("tld", ""),
        operation=stored.get("operation", ""),
        billing_cycle=stored["billing_cycle"],
        quantity=stored["quantity"],
        net=in_minor_units(Decimal(stored["net"]), currency),
        discount=in_minor_units(Decimal(stored.get("discount", 0)), currency),
        credit=in_minor_units(Decimal(stored.get("credit", 0)), currency),
    )
