"""Invoice lines in minor units, for commissions. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moneyed import Currency

from affiliates.core.money import rounded_minor
from affiliates.plans.rules.matching import LineFacts


def paid_lines(
    stored: Sequence[Mapping[str, Any]], currency: Currency
) -> tuple[LineFacts, ...]:
    return tuple(
        line_facts(line, position=position, currency=currency)
        for position, line in enumerate(stored, start=1)
    )


def line_facts(
    stored: Mapping[str, Any], *, position: int, currency: Currency
) -> LineFacts:
    """A line as ``InvoicePayment.lines`` stores it."""
    return LineFacts(
        position=position,
        description=stored["description"],
        product_ref=stored["product_ref"],
        kind=stored["kind"],
        tld=stored["tld"],
        operation=stored["operation"],
        billing_cycle=stored["billing_cycle"],
        quantity=stored["quantity"],
        net=rounded_minor(stored["net"], currency),
        discount=rounded_minor(stored["discount"], currency),
        credit=rounded_minor(stored["credit"], currency),
    )
