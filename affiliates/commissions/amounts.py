"""Invoice lines and refunds in minor units, for commissions. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moneyed import Currency, Money

from affiliates.core.money import from_minor, rounded_minor, to_minor
from affiliates.plans.rules.matching import LineFacts
from affiliates.sales.rules import reversal_amount


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


def left_after_refunds(
    amount: int, *, currency: str, paid_gross: Money, refunded: Money
) -> int:
    """The minor units of the commission that this refunded amount leaves.

    In proportion to the sale: see ``affiliates.sales.rules.reversal_amount``.
    """
    taken = reversal_amount(
        sale_net=from_minor(amount, currency),
        paid_gross=paid_gross,
        refunded_before=Money(0, paid_gross.currency),
        refund=refunded,
    )
    return amount - to_minor(taken)
