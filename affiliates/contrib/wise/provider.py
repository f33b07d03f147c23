"""Wise as a way to be paid: a bank account in the currency that the affiliate chooses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.utils.translation import gettext_lazy as _
from stdnum.us import rtn

from affiliates.core.tables.cells import trimmed
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.providers.bank import HOLDER, IBAN
from affiliates.payouts.providers.checks import check_iban, required
from affiliates.payouts.providers.protocol import (
    DetailField,
    Details,
    Payer,
    PayoutProvider,
    Transfer,
    Way,
)
from affiliates.payouts.providers.registry import register

KIND = "wise"
HOLDER_TYPE, PAYOUT_CURRENCY = "holder_type", "payout_currency"
# Currencies of balances from which Wise sends.
_SOURCES = "AUD CAD CHF CZK DKK EUR GBP HUF JPY NOK NZD PLN RON SEK SGD USD"
SOURCES = frozenset(_SOURCES.split())
# Wise needs an address for payouts in USD, and for all that are paid from USD or AUD.
ADDRESS: Mapping[str, str] = {
    "street": "firstLine",
    "city": "city",
    "post_code": "postCode",
    "state": "state",
    "country": "country",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountType:
    """A type of account by Wise's name.

    ``details`` are our names, Wise's names, and the patterns of their values.
    ``most_text`` is the length of the text that reaches the recipient.
    """

    name: str
    details: Mapping[str, tuple[str, str]]
    most_text: int
    needs_address: bool = False


_IBAN = AccountType(name="iban", details={"iban": ("iban", ".*")}, most_text=100)
ACCOUNTS: Mapping[str, AccountType] = {
    **dict.fromkeys(["CHF", "DKK", "EUR", "NOK", "PLN", "RON", "SEK"], _IBAN),
    "GBP": AccountType(
        name="sort_code",
        details={
            "sort_code": ("sortCode", "[0-9]{6}"),
            "account_number": ("accountNumber", "[0-9]{8}"),
        },
        most_text=18,
    ),
    "USD": AccountType(
        name="aba",
        details={
            "routing_number": ("abartn", "[0-9]{9}"),
            "account_number": ("accountNumber", "[0-9]{4,17}"),
            "account_type": ("accountType", "CHECKING|SAVINGS"),
        },
        most_text=10,
        needs_address=True,
    ),
}
_TWO_LETTERS = "[A-Z]{2}"


@register
class WiseAccount(PayoutProvider):
    """Paid from the brand's account at Wise, which converts; there is no file."""

    code = KIND
    label = "Wise"
    way = Way.FILE
    is_offered_at_first = False
    needs_account = True
    fields = (
        DetailField(
            PAYOUT_CURRENCY,
            _("Currency you are paid in"),
            3,
            choices=tuple((code, code) for code in sorted(ACCOUNTS)),
        ),
        HOLDER,
        DetailField(
            HOLDER_TYPE,
            _("The account is of"),
            8,
            choices=(("PRIVATE", _("a person")), ("BUSINESS", _("a company"))),
        ),
        replace(IBAN, is_optional=True),
        DetailField("sort_code", _("Sort code (GBP)"), 8, is_optional=True),
        DetailField("routing_number", _("Routing number (USD)"), 11, is_optional=True),
        DetailField(
            "account_number", _("Account number (GBP, USD)"), 20, is_optional=True
        ),
        DetailField(
            "account_type",
            _("Type of account (USD)"),
            8,
            choices=(("CHECKING", _("Checking")), ("SAVINGS", _("Savings"))),
            is_optional=True,
        ),
        DetailField("street", _("Street (USD)"), 100, is_optional=True),
        DetailField("city", _("City (USD)"), 100, is_optional=True),
        DetailField("post_code", _("Post code (USD)"), 20, is_optional=True),
        DetailField(
            "state", _("State (USD, in the United States)"), 2, is_optional=True
        ),
        DetailField("country", _("Country, in two letters (USD)"), 2, is_optional=True),
    )

    def takes(self, currency: str) -> bool:
        return currency in SOURCES

    def check(self, values: Mapping[str, str]) -> Details:
        fields = {field.name: field for field in self.fields}
        chosen = {
            name: _one_of(values, fields[name])
            for name in (PAYOUT_CURRENCY, HOLDER_TYPE)
        }
        account = ACCOUNTS[chosen[PAYOUT_CURRENCY]]
        details = {"account_holder": required(values, HOLDER)}
        for name, (_wise, pattern) in account.details.items():
            details[name] = _number(name, required(values, fields[name]), pattern)
        in_states = trimmed(values.get("country", "")).upper() == "US"
        for name in ADDRESS:
            is_needed = account.needs_address and (name != "state" or in_states)
            if is_needed or trimmed(values.get(name, "")):
                details[name] = _line(name, required(values, fields[name]))
        return {**chosen, **details}

    def hint(self, details: Mapping[str, str]) -> str:
        number = details.get("iban") or details["account_number"]
        country = number[:2] if "iban" in details else ""
        return f"{details[PAYOUT_CURRENCY]} {country}… {number[-4:]}"

    def account(self, details: Mapping[str, str]) -> str:
        """Also part of the numbers that transfers have at Wise: it must not change."""
        names = ("iban", "sort_code", "routing_number", "account_number")
        numbers = (details[name] for name in names if name in details)
        return " ".join([details[PAYOUT_CURRENCY], *numbers])

    def write(
        self,
        transfers: Sequence[Transfer],
        *,
        payer: Payer,
        day: date,
        reference: str,
    ) -> str:
        raise StateConflict(
            "no_payout_account",
            f"{payer.brand} has no active payout account at Wise: add one under Payout "
            "accounts, or pay these payouts another way.",
        )


def _one_of(values: Mapping[str, str], field: DetailField) -> str:
    value = required(values, field)
    codes = [code for code, _label in field.choices]
    if value not in codes:
        raise InvalidInput(
            "invalid_choice", "Choose one of those that are offered.", field=field.name
        )
    return value


def _number(name: str, value: str, pattern: str) -> str:
    """Without blanks and hyphens. Raises InvalidInput."""
    if name == "iban":
        return check_iban(value)
    plain = re.sub(r"[ -]", "", value)
    is_right = re.fullmatch(pattern, plain) is not None
    if not is_right or (name == "routing_number" and not rtn.is_valid(plain)):
        raise InvalidInput(
            "invalid", "This is not complete. Look for a mistyped digit.", field=name
        )
    return plain


def _line(name: str, value: str) -> str:
    """A line of the address. Raises InvalidInput."""
    if name not in ("state", "country"):
        return value
    if not re.fullmatch(_TWO_LETTERS, value.upper()):
        raise InvalidInput("invalid", "Give two letters.", field=name)
    return value.upper()
