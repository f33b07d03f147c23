"""The lines of an invoice, as the host sends them and as they are stored."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from moneyed import Money

from affiliates.contracts import InvoiceLine, PaidInvoice, RefundedInvoice
from affiliates.core.checking import storable
from affiliates.core.money import minor_unit, rounded
from affiliates.errors import InvalidInput
from affiliates.plans.rules.matching import LABEL_LIMITS, stored_label
from affiliates.referrals.models import MAX_REFERENCE
from affiliates.sales.models import DECIMAL_PLACES, MAX_DIGITS

MAX_AMOUNT = Decimal(10) ** (MAX_DIGITS - DECIMAL_PLACES)
SMALLEST_AMOUNT = Decimal(1).scaleb(-DECIMAL_PLACES)
# A Decimal division leaves fewer; without a limit one amount could fill the disk.
MAX_DECIMALS = 50
MAX_DESCRIPTION = 255
# The most that a positive integer column holds on every database.
MAX_COUNT = 2**31 - 1
# The largest fixed rate times this is still an amount that the ledger can hold.
MAX_QUANTITY = 1_000_000


def require_storable(event: PaidInvoice) -> None:
    """Raises InvalidInput for a payment that cannot be stored as it is."""
    require_references(event.invoice_ref, event.order_ref, event.payment_ref)
    currency = event.gross.currency
    if minor_unit(currency) < SMALLEST_AMOUNT:
        raise InvalidInput(
            "invalid_currency", f"Amounts of {currency} are finer than can be kept."
        )
    if any(money.currency != currency for money in _amounts(event)):
        raise InvalidInput(
            "currency_mismatch", "Every line must be in the currency of the payment."
        )
    for money in _amounts(event):
        require_amount(money)
    if event.gross.amount < 0:
        raise InvalidInput("invalid_amount", "A payment is never below zero.")
    if event.gross.amount == 0 < sum(line.net.amount for line in event.lines):
        raise InvalidInput(
            "invalid_amount",
            "The gross amount is the invoice's total with tax, however it was paid: it "
            "is not zero if the lines are not.",
        )
    if sum(abs(rounded(line.net)).amount for line in event.lines) >= MAX_AMOUNT:
        raise InvalidInput("invalid_amount", f"Amounts must be below {MAX_AMOUNT:,}.")
    if not 0 <= event.renewal_number <= MAX_COUNT:
        raise InvalidInput("invalid_renewal", "Renewals are counted from 1.")
    if event.position is not None and not 0 <= event.position <= event.renewal_number:
        raise InvalidInput(
            "invalid_position", "A position is from 0 to the number of the renewal."
        )
    for line in event.lines:
        _require_storable_line(line)
    if sum(line.quantity for line in event.lines) > MAX_QUANTITY:
        raise InvalidInput(
            "invalid_quantity",
            f"The quantities of a payment's lines add up to at most {MAX_QUANTITY:,}.",
        )


def require_references(*references: str) -> None:
    """Raises InvalidInput for a reference that is too long or cannot be stored."""
    if any(len(reference) > MAX_REFERENCE for reference in references):
        raise InvalidInput(
            "too_long", f"A reference has at most {MAX_REFERENCE} characters."
        )
    if any(storable(reference) != reference for reference in references):
        raise InvalidInput(
            "invalid_reference", "A reference has only characters that can be stored."
        )


def require_amount(money: Money) -> None:
    """Raises InvalidInput for a value that is no amount or too large to store."""
    amount = abs(money.amount)
    # The cheap comparison first: rounding writes out every digit of 1E+999999.
    if (
        not amount.is_finite()
        or amount >= MAX_AMOUNT
        or amount.quantize(SMALLEST_AMOUNT, ROUND_HALF_UP) >= MAX_AMOUNT
    ):
        raise InvalidInput("invalid_amount", f"Amounts must be below {MAX_AMOUNT:,}.")
    if _decimals(amount) > MAX_DECIMALS:
        raise InvalidInput(
            "invalid_amount", f"Amounts have at most {MAX_DECIMALS} decimals."
        )


def as_kept(money: Money) -> Money:
    """Rounds to the column's precision; databases would each round in their own way."""
    return Money(money.amount.quantize(SMALLEST_AMOUNT, ROUND_HALF_UP), money.currency)


def to_json(line: InvoiceLine) -> dict[str, Any]:
    """The line as it is stored: with the host's exact amounts, and texts that fit.

    ``cut`` has the lengths of the host's texts that did not.
    """
    texts = {"description": storable(line.description)[:MAX_DESCRIPTION]}
    texts |= _labels(line)
    lengths = {name: len(getattr(line, name)) for name in texts}
    cut = {name: lengths[name] for name in texts if texts[name] != getattr(line, name)}
    return {
        **texts,
        **({"cut": cut} if cut else {}),
        "quantity": line.quantity,
        "net": _text(line.net),
        "discount": _text(line.discount),
        "credit": _text(line.credit),
    }


def named_of(event: RefundedInvoice) -> dict[str, Any]:
    """The names in a refund as they are stored; no description, which may name a person.

    Raises InvalidInput for amounts that cannot be stored, below zero or in another
    currency than the refund's.
    """
    nets = [line.net for line in event.lines]
    for money in [*nets, *([] if event.net is None else [event.net])]:
        require_amount(money)
        if money.currency != event.gross.currency:
            raise InvalidInput(
                "currency_mismatch", "A refund's parts must be in its own currency."
            )
    if event.net is not None and event.net.amount < 0:
        raise InvalidInput("invalid_amount", "A refund's net is never below zero.")
    lines = [{**_labels(line), "net": _text(line.net)} for line in event.lines]
    named = {
        "lines": lines,
        "net": None if event.net is None else _text(event.net),
        "payment_ref": event.payment_ref,
    }
    return {name: value for name, value in named.items() if value}


def _labels(line: InvoiceLine) -> dict[str, str]:
    return {
        name: stored_label(name, storable(getattr(line, name))) for name in LABEL_LIMITS
    }


def _amounts(event: PaidInvoice) -> Iterator[Money]:
    yield event.gross
    for line in event.lines:
        yield line.net
        yield from (part for part in (line.discount, line.credit) if part is not None)


def _require_storable_line(line: InvoiceLine) -> None:
    if line.quantity < 0:
        raise InvalidInput("invalid_quantity", "A line's quantity is never negative.")
    for money in (line.discount, line.credit):
        if money is not None and money.amount < 0:
            raise InvalidInput(
                "invalid_amount", "A line's discount and credit are never negative."
            )


def _decimals(amount: Decimal) -> int:
    exponent = amount.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _text(money: Money | None) -> str:
    return "0" if money is None else f"{money.amount:f}"
