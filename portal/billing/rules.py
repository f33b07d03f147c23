"""Decisions about money: what is paid, what may go back, what a gateway says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

from moneyed import CurrencyDoesNotExist, Money

from affiliates.errors import InvalidInput
from portal.ids import parse_id
from portal.money import is_payable

MAX_REFERENCE_LENGTH = 100
# Of a notice's data. Longer texts are no values of them.
NOTICE_FIELDS = ("invoice_id", "reference", "amount", "currency")
MAX_FIELD_LENGTH = 255
# What a money column holds: no exponent, no sign, no infinity.
AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,3})?")


class NoticeType(StrEnum):
    SUCCEEDED = "payment.succeeded"
    REFUNDED = "payment.refunded"
    CHARGED_BACK = "payment.charged_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentNotice:
    """A gateway's notice about one invoice."""

    type: NoticeType
    invoice_id: UUID
    reference: str
    amount: Money


def format_invoice_number(sequence: int) -> str:
    return f"INV-{sequence:06d}"


def check_payment(*, amount: Money, due: Money) -> None:
    """Raises InvalidInput unless exactly the invoice's gross amount was paid."""
    if amount.currency != due.currency:
        raise InvalidInput(
            "currency_mismatch", f"The invoice is in {due.currency}.", field="currency"
        )
    if amount != due:
        raise InvalidInput(
            "amount_mismatch", "The amount is not that of the invoice.", field="amount"
        )


def check_refund(*, amount: Money, paid: Money, refunded: Money) -> None:
    """Raises InvalidInput unless this may still go back to the client."""
    if amount.currency != paid.currency:
        raise InvalidInput(
            "currency_mismatch", f"The invoice is in {paid.currency}.", field="currency"
        )
    if amount.amount <= 0 or not is_payable(amount):
        raise InvalidInput(
            "invalid", "Name an amount that can be paid back.", field="amount"
        )
    if refunded + amount > paid:
        raise InvalidInput(
            "refund_exceeds_payment",
            "This is more than what was paid and not yet refunded.",
            field="amount",
        )


def read_notice(body: str) -> PaymentNotice | None:
    """The notice in a webhook's body; None when it is of a type we do not follow.

    Raises InvalidInput ``malformed_event``.
    """
    payload = _read_json(body)
    kind = payload.get("type") if isinstance(payload, dict) else None
    if not isinstance(kind, str):
        raise _malformed("It has no type.")
    if kind not in set(NoticeType):
        return None
    data = payload.get("data")
    if not isinstance(data, dict):
        raise _malformed("It has no data.")
    return PaymentNotice(
        type=NoticeType(kind),
        invoice_id=_read_invoice_id(data),
        reference=_read_reference(data),
        amount=_read_amount(data),
    )


def readable_part(body: str) -> str:
    """The part of a webhook's body that ``read_notice`` reads, so that it judges both alike.

    The rest, such as the payer's name and address, is of no use here.
    """
    try:
        payload = _read_json(body)
    except InvalidInput:
        return ""
    if not isinstance(payload, dict):
        return "{}"
    part, data = _short_texts(payload, ("type",)), payload.get("data")
    if isinstance(data, dict):
        part["data"] = _short_texts(data, NOTICE_FIELDS)
    return json.dumps(part)


def _short_texts(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {
        name: value
        for name in names
        if isinstance(value := values.get(name), str) and len(value) <= MAX_FIELD_LENGTH
    }


def _read_json(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _malformed("It is not JSON.") from error


def _read_invoice_id(data: dict[str, Any]) -> UUID:
    invoice_id = data.get("invoice_id")
    parsed = parse_id(invoice_id) if isinstance(invoice_id, str) else None
    if parsed is None:
        raise _malformed("data.invoice_id is not an invoice's id.")
    return parsed


def _read_reference(data: dict[str, Any]) -> str:
    reference = data.get("reference")
    if (
        not isinstance(reference, str)
        or not reference.isprintable()
        or not 1 <= len(reference) <= MAX_REFERENCE_LENGTH
    ):
        raise _malformed("data.reference is not a payment's reference.")
    return reference


def _read_amount(data: dict[str, Any]) -> Money:
    amount, currency = data.get("amount"), data.get("currency")
    if (
        not isinstance(amount, str)
        or not isinstance(currency, str)
        or AMOUNT.fullmatch(amount) is None
    ):
        raise _malformed("data.amount and data.currency are not strings of money.")
    try:
        return Money(Decimal(amount), currency)
    except CurrencyDoesNotExist as error:
        raise _malformed("data.currency is no currency.") from error


def _malformed(detail: str) -> InvalidInput:
    return InvalidInput("malformed_event", f"The event cannot be read. {detail}")
