"""Payouts as a file for PayPal, or for a bank: SEPA credit transfers in pain.001."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from io import StringIO
from typing import Any
from unicodedata import normalize

from text_unidecode import unidecode  # type: ignore[import-untyped]  # it has no types

from affiliates.core.money import decimal_text
from affiliates.core.spreadsheets import neutral_text
from affiliates.errors import StateConflict

PAYPAL_WALLET = "PAYPAL"
MAX_PAYPAL_NOTE = 400
SCHEMA = "pain.001.001.09"
# The schema's maximum for one transfer.
MAX_CENTS = 99_999_999_999
MAX_NAME = 70
# Countries whose IBANs a SEPA credit transfer reaches (EPC409-09).
_SEPA_COUNTRIES = """
AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV
MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA
"""
SEPA_COUNTRIES = frozenset(_SEPA_COUNTRIES.split())

# How files name our payouts and batches, and how answers repeat it.
_PAYOUT, _BATCH = "PAYOUT-", "BATCH-"
_OURS = re.compile(
    rf"(?<![A-Z0-9])(?:{_PAYOUT}[0-9]{{1,18}}|{_BATCH}[0-9]{{1,18}}-[0-9]{{8}})(?![0-9])",
    re.IGNORECASE,
)
_IDENTIFICATIONS = re.compile(r"(<(?:MsgId|PmtInfId)>)[^<]*")
# The characters that every bank accepts; the schema allows more.
_FOREIGN_TO_BANKS = re.compile(r"[^A-Za-z0-9/?:().,'+ -]+")
_SPACES = re.compile(r" +")
_WRITTEN_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}
_UMLAUTS = re.compile("[äöüßÄÖÜẞ]")


def payout_reference(number: int) -> str:
    return f"{_PAYOUT}{number}"


def batch_reference(number: int, day: date) -> str:
    """The identification of a file and of its only collected payment.

    At most 35 characters of SEPA. The day keeps it unique where a restored database
    gives a number again.
    """
    return f"{_BATCH}{number}-{day:%Y%m%d}"


def payout_number(reference: str) -> int | None:
    """The payout that one of our references names: PAYOUT-17 names 17."""
    return _number(reference, _PAYOUT)


def batch_number(reference: str) -> int | None:
    """The batch that one of our references names: BATCH-3-20261231 names 3."""
    return _number(reference, _BATCH)


def references_in(text: str) -> list[str]:
    """Our references to payouts and batches anywhere in a text."""
    return [match[0].upper() for match in _OURS.finditer(text)]


def _number(reference: str, prefix: str) -> int | None:
    text = reference.strip()
    if not (text.startswith(prefix) and _OURS.fullmatch(text)):
        return None
    return int(text.split("-")[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class PayPalRow:
    """``reference`` has at most 30 characters and no space, and is used once."""

    email: str
    amount: int
    currency: str
    reference: str
    note: str


def write_csv(rows: Sequence[PayPalRow]) -> str:
    """PayPal's file: one recipient per row, no heading."""
    text = StringIO()
    writer = csv.writer(text)
    for row in rows:
        cells = (
            row.email,
            decimal_text(row.amount, row.currency),
            row.currency,
            row.reference,
            row.note[:MAX_PAYPAL_NOTE],
            PAYPAL_WALLET,
        )
        writer.writerow([neutral_text(cell) for cell in cells])
    return text.getvalue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Debtor:
    """The owner of the charged account."""

    name: str
    iban: str
    bic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutTransfer:
    """One line: an amount in cents to an account. Statements repeat ``reference``."""

    reference: str
    name: str
    iban: str
    cents: int
    text: str


def is_sepa(iban: str) -> bool:
    return iban[:2] in SEPA_COUNTRIES


def transfer_text(text: str) -> str:
    """The text in the letters that every bank accepts; "" if none is left.

    Umlauts are written out as banks do: a payee's bank compares the name.
    """
    letters = _UMLAUTS.sub(_written_out, normalize("NFC", text))
    plain = _FOREIGN_TO_BANKS.sub(" ", unidecode(letters))
    # A slash at either end, or two, is a separator to banks.
    plain = plain.replace("//", "/").strip(" /")
    return _SPACES.sub(" ", plain)[:MAX_NAME].strip()


def _written_out(umlaut: re.Match[str]) -> str:
    """In capitals among capitals: MÜLLER is MUELLER, Übel is Uebel."""
    letters = _WRITTEN_OUT[umlaut[0].lower()]
    if not umlaut[0].isupper():
        return letters
    text, at = umlaut.string, umlaut.start()
    beside = text[at + 1 : at + 2].strip() or text[max(at - 1, 0) : at].strip()
    return letters.upper() if beside.isupper() else letters.capitalize()


def write_pain001(
    transfers: Sequence[PayoutTransfer], *, debtor: Debtor, day: date, reference: str
) -> str:
    """The file as text. ``reference`` identifies it and its only collected payment.

    Raises StateConflict if the extra that writes such files is not installed.
    """
    document = _transfer_document()(
        {
            "name": transfer_text(debtor.name),
            "IBAN": debtor.iban,
            "BIC": debtor.bic,
            "batch": True,
            "currency": "EUR",
        },
        schema=SCHEMA,
    )
    for transfer in transfers:
        document.add_payment(
            {
                "name": transfer_text(transfer.name),
                "IBAN": transfer.iban,
                "amount": transfer.cents,
                "execution_date": day,
                "description": transfer_text(transfer.text),
                "endtoend_id": transfer.reference,
            }
        )
    # Tests validate it against the schema; validating here would cost seconds.
    content: bytes = document.export(validate=False)
    # The library makes both at random, and cannot be told otherwise.
    return _IDENTIFICATIONS.sub(rf"\g<1>{reference}", content.decode())


def _transfer_document() -> Any:
    try:
        from sepaxml import SepaTransfer  # type: ignore[import-untyped]  # it has no types
    except ImportError:
        raise StateConflict(
            "no_payout_files",
            "SEPA files need an extra that is not installed here: "
            "pip install 'affiliates[payout-files]'.",
        ) from None
    return SepaTransfer
