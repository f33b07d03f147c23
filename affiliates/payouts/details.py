"""The details that a destination needs: checked when given, encrypted at rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, validate_email
from django.utils.translation import gettext as _
from stdnum import bic as bics
from stdnum import iban as ibans
from stdnum.exceptions import ValidationError as InvalidNumber

from affiliates.conf import conf
from affiliates.core.secrets.encryption import fingerprints
from affiliates.core.tables.cells import trimmed, without_unseen
from affiliates.encrypted.columns import Purpose, SecretUnreadable, register_column
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.files import is_sepa, transfer_text
from affiliates.payouts.rules import DestinationKind

MAX_EMAIL = 254
MAX_HOLDER = 70
MAX_AGREEMENT = 255
HINT_LENGTH = 64

ACCOUNTS = Purpose(b"affiliates.payout_details.v1")
# A spreadsheet takes a cell that begins otherwise for a formula, and a prefixed mark
# would make it another address.
_begins_harmless = RegexValidator(r"^[A-Za-z0-9]")

Details = dict[str, str]


def check_details(kind: DestinationKind, details: Mapping[str, str]) -> Details:
    """The given values that this kind needs, as they are stored.

    Raises InvalidInput that names the wrong field.
    """
    return _CHECKS[kind](details)


def check_iban(value: str, *, field: str = "iban") -> str:
    """The IBAN without spaces. Raises InvalidInput if SEPA cannot reach it."""
    try:
        iban: str = ibans.validate(without_unseen(value))
    except InvalidNumber:
        raise InvalidInput(
            "invalid_iban",
            "This is no valid IBAN. Look for a mistyped or missing digit.",
            field=field,
        ) from None
    if not is_sepa(iban):
        raise InvalidInput(
            "not_sepa",
            _(
                "Accounts in {country} take no SEPA transfer. Choose another destination."
            ).format(country=iban[:2]),
            field=field,
        )
    return iban


def check_bic(value: str, *, field: str = "bic") -> str:
    try:
        bic: str = bics.validate(without_unseen(value))
    except InvalidNumber:
        raise InvalidInput(
            "invalid_bic", "A BIC has 8 or 11 letters and digits.", field=field
        ) from None
    return bic


def hint_of(kind: DestinationKind, details: Mapping[str, str]) -> str:
    """The part that people may see: "DE… 3000", "a…@example.com"."""
    if kind is DestinationKind.BANK:
        return f"{details['iban'][:2]}… {details['iban'][-4:]}"
    if kind is DestinationKind.PAYPAL:
        name, _, domain = details["email"].rpartition("@")
        return f"{name[0]}…@{domain}"[:HINT_LENGTH]
    return ""


def fingerprint_of(kind: DestinationKind, details: Mapping[str, str]) -> str:
    """Identifies an account independently of the affiliate; "" if there is none."""
    return fingerprints_of(kind, details)[0]


def fingerprints_of(kind: DestinationKind, details: Mapping[str, str]) -> list[str]:
    """By each key, the first key's first: rows may not all be encrypted anew yet."""
    account = details.get("iban") or details.get("email", "").casefold()
    if not account:
        return [""]
    return fingerprints(f"{kind}:{account}", conf.secret_keys, purpose=ACCOUNTS.name)


def encrypt(text: str) -> str:
    return ACCOUNTS.encrypt(text.encode())


def decrypt(token: str) -> str:
    """Raises StateConflict if the key is missing."""
    try:
        return ACCOUNTS.decrypt(token).decode()
    except SecretUnreadable:
        raise StateConflict(
            "details_unreadable",
            "What is stored cannot be read with the keys of this server. Put the key "
            "it was encrypted with back behind the present one.",
        ) from None


def seal_details(details: Mapping[str, str]) -> str:
    return encrypt(json.dumps(dict(details), sort_keys=True))


def open_details(token: str) -> Details:
    """Raises StateConflict if the key is missing."""
    details: Details = json.loads(decrypt(token))
    return details


def _check_paypal(details: Mapping[str, str]) -> Details:
    email = _text(details, "email", most=MAX_EMAIL)
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


def _check_bank(details: Mapping[str, str]) -> Details:
    holder = _text(details, "account_holder", most=MAX_HOLDER)
    if not transfer_text(holder):
        raise InvalidInput(
            "invalid_account_holder",
            "Give the account holder's name as the bank writes it.",
            field="account_holder",
        )
    # Copied from a web page, it may hold marks that nobody sees.
    unmarked = {"iban": without_unseen(details.get("iban", ""))}
    iban = check_iban(_text(unmarked, "iban", most=50))
    return {"account_holder": holder, "iban": iban}


def _check_offline(details: Mapping[str, str]) -> Details:
    return {"agreement": _text(details, "agreement", most=MAX_AGREEMENT)}


def _text(details: Mapping[str, str], field: str, *, most: int) -> str:
    text = trimmed(details.get(field, ""))
    if not text:
        raise InvalidInput("required", "This field is required.", field=field)
    if len(text) > most:
        raise InvalidInput(
            "max_length",
            _("At most {most} characters are kept.").format(most=most),
            field=field,
        )
    if not text.isprintable():
        raise InvalidInput("invalid", "Leave out control characters.", field=field)
    return text


_CHECKS: Mapping[DestinationKind, Callable[[Mapping[str, str]], Details]] = {
    DestinationKind.WALLET: lambda details: {},
    DestinationKind.PAYPAL: _check_paypal,
    DestinationKind.BANK: _check_bank,
    DestinationKind.OFFLINE: _check_offline,
}


def _fingerprint(destination: Any, content: bytes) -> dict[str, str]:
    kind = DestinationKind(destination.kind)
    return {"fingerprint": fingerprint_of(kind, json.loads(content))}


register_column("affiliates.PayoutBatch", "content", purpose=ACCOUNTS)
register_column(
    "affiliates.PayoutDestination", "details", purpose=ACCOUNTS, derive=_fingerprint
)
