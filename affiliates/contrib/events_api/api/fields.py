"""Fields for the values of the contracts. What they mean is checked by the contracts."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.dateparse import parse_datetime
from moneyed import CURRENCIES, Money
from rest_framework import serializers

from affiliates.api.descriptions import described_as
from affiliates.api.serializers import TextField

# More digits than any amount that can be stored has.
_AMOUNT = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,60})?")


class PlainTextField(TextField):
    """Text as it is: too long a reference is refused, another text is cut."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_blank": True, "trim_whitespace": False, **options})

    def run_validators(self, value: Any) -> None:
        return


class FlagField(serializers.BooleanField):
    """true and false, and no other word for them."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


@described_as({"type": "string", "format": "date-time"})
class InstantField(serializers.Field[datetime, Any, Any, Any]):
    """A moment with its offset from UTC."""

    default_error_messages = {
        "invalid": "Send a time with its offset, such as 2026-03-01T12:00:00Z."
    }

    def to_internal_value(self, data: Any) -> datetime:
        try:
            moment = parse_datetime(data) if isinstance(data, str) else None
        except ValueError:
            moment = None
        # Moments that every time zone and database can represent.
        if moment is None or moment.tzinfo is None or not 1970 <= moment.year <= 2200:
            self.fail("invalid")
        return moment


AMOUNT_SCHEMA = {
    "type": "object",
    "required": ["amount", "currency"],
    "properties": {
        "amount": {"type": "string", "pattern": f"^{_AMOUNT.pattern}$"},
        "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
    },
    "example": {"amount": "119.00", "currency": "EUR"},
}


@described_as(AMOUNT_SCHEMA)
class AmountOfMoneyField(serializers.Field[Money, Any, Any, Any]):
    default_error_messages = {
        "invalid": 'Send an amount as {{"amount": "119.00", "currency": "EUR"}}.'
    }

    def to_internal_value(self, data: Any) -> Money:
        values = data if isinstance(data, dict) else {}
        amount, currency = values.get("amount"), values.get("currency")
        if not isinstance(amount, str) or not _AMOUNT.fullmatch(amount):
            self.fail("invalid")
        if not isinstance(currency, str) or currency not in CURRENCIES:
            self.fail("invalid")
        return Money(Decimal(amount), currency)
