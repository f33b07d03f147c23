from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from datetime import date
from io import StringIO

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, validate_email
from django.utils.translation import gettext_lazy as _

from affiliates.core.money import decimal_text
from affiliates.core.spreadsheets import neutral_text
from affiliates.errors import InvalidInput
from affiliates.payouts.providers.checks import required
from affiliates.payouts.providers.protocol import (
    DetailField,
    Details,
    Payer,
    PayoutProvider,
    Transfer,
    Way,
)

HINT_LENGTH = 64
MAX_NOTE = 400
WALLET = "PAYPAL"
# Currencies that PayPal pays with their usual decimals. It takes no decimals of HUF
# and TWD, so a whole balance could not be sent.
_CURRENCIES = """
AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB USD
"""
CURRENCIES = frozenset(_CURRENCIES.split())
# A spreadsheet takes a cell that begins otherwise for a formula, and a prefixed mark
# would make it another address.
_begins_harmless = RegexValidator(r"^[A-Za-z0-9]")


class PayPalFile(PayoutProvider):
    """A file for PayPal's page of mass payments: one recipient per row, no heading."""

    code = "paypal"
    label = "PayPal"
    way = Way.FILE
    fields = (DetailField("email", _("E-mail address of the PayPal account"), 254),)
    # PayPal's limit for one file.
    most = 5_000
    ending = "csv"
    content_type = "text/csv"

    def takes(self, currency: str) -> bool:
        return currency in CURRENCIES

    def check(self, values: Mapping[str, str]) -> Details:
        email = required(values, self.fields[0])
        try:
            validate_email(email)
            _begins_harmless(email)
        except ValidationError:
            raise InvalidInput(
                "invalid_email",
                "Give the e-mail address of a PayPal account. It begins with a letter "
                "or a digit.",
                field="email",
            ) from None
        return {"email": email}

    def hint(self, details: Mapping[str, str]) -> str:
        name, _, domain = details["email"].rpartition("@")
        return f"{name[0]}…@{domain}"[:HINT_LENGTH]

    def account(self, details: Mapping[str, str]) -> str:
        return details["email"].casefold()

    def email(self, details: Mapping[str, str]) -> str:
        return details["email"]

    def write(
        self,
        transfers: Sequence[Transfer],
        *,
        payer: Payer,
        day: date,
        reference: str,
    ) -> str:
        text = StringIO()
        csv.writer(text).writerows(map(_row, transfers))
        return text.getvalue()


def _row(transfer: Transfer) -> list[str]:
    cells = (
        transfer.details["email"],
        decimal_text(transfer.amount, transfer.currency),
        transfer.currency,
        transfer.reference,
        transfer.text[:MAX_NOTE],
        WALLET,
    )
    return [neutral_text(cell) for cell in cells]
