from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from unicodedata import normalize

from django.utils.translation import gettext_lazy as _
from text_unidecode import unidecode  # type: ignore[import-untyped]  # it has no types

from affiliates.core.tables.cells import without_unseen
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.providers.checks import check_iban, required
from affiliates.payouts.providers.protocol import (
    DetailField,
    Details,
    Payer,
    PayoutProvider,
    Transfer,
    Way,
)

SCHEMA = "pain.001.001.09"
# The schema's maximum for one transfer.
MAX_CENTS = 99_999_999_999
MAX_NAME = 70
_IDENTIFICATIONS = re.compile(r"(<(?:MsgId|PmtInfId)>)[^<]*")
# The characters that every bank accepts; the schema allows more.
_FOREIGN_TO_BANKS = re.compile(r"[^A-Za-z0-9/?:().,'+ -]+")
_SPACES = re.compile(r" +")
_WRITTEN_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}
_UMLAUTS = re.compile("[äöüßÄÖÜẞ]")
HOLDER = DetailField("account_holder", _("Account holder"), MAX_NAME)
# With the blanks that people copy.
IBAN = DetailField("iban", _("IBAN"), 50)


class BankTransfer(PayoutProvider):
    """A file for the bank: SEPA credit transfers in pain.001."""

    code = "bank"
    label = _("Bank transfer (SEPA)")
    way = Way.FILE
    fields = (HOLDER, IBAN)
    most = 5_000
    ending = "xml"
    content_type = "application/xml"

    def takes(self, currency: str) -> bool:
        return currency == "EUR"

    def check(self, values: Mapping[str, str]) -> Details:
        holder = required(values, HOLDER)
        if not transfer_text(holder):
            raise InvalidInput(
                "invalid_account_holder",
                "Give the account holder's name as the bank writes it.",
                field="account_holder",
            )
        # Copied from a web page, it may hold marks that nobody sees.
        unmarked = {"iban": without_unseen(values.get("iban", ""))}
        return {"account_holder": holder, "iban": check_iban(required(unmarked, IBAN))}

    def hint(self, details: Mapping[str, str]) -> str:
        return f"{details['iban'][:2]}… {details['iban'][-4:]}"

    def account(self, details: Mapping[str, str]) -> str:
        return details["iban"]

    def write(
        self,
        transfers: Sequence[Transfer],
        *,
        payer: Payer,
        day: date,
        reference: str,
    ) -> str:
        """``reference`` identifies the file and its only collected payment.

        Raises StateConflict for a transfer that is too large, without the payer's
        account, and if the extra that writes such files is not installed.
        """
        if not (payer.name and payer.iban and payer.bic):
            raise StateConflict(
                "no_own_account",
                f"Fill in the account that {payer.brand} pays from, in its payout terms.",
            )
        document = _document(payer)
        for transfer in transfers:
            document.add_payment(_payment(transfer, day))
        # Tests validate it against the schema; validating here would cost seconds.
        content: bytes = document.export(validate=False)
        # The library makes both at random, and cannot be told otherwise.
        return _IDENTIFICATIONS.sub(rf"\g<1>{reference}", content.decode())


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


def _payment(transfer: Transfer, day: date) -> dict[str, Any]:
    if transfer.amount > MAX_CENTS:
        raise StateConflict(
            "amount_too_large",
            f"{transfer.reference} is too large for one transfer.",
        )
    return {
        "name": transfer_text(transfer.details["account_holder"]),
        "IBAN": transfer.details["iban"],
        "amount": transfer.amount,
        "execution_date": day,
        "description": transfer_text(transfer.text),
        "endtoend_id": transfer.reference,
    }


def _document(payer: Payer) -> Any:
    try:
        from sepaxml import SepaTransfer  # type: ignore[import-untyped]  # it has no types
    except ImportError:
        raise StateConflict(
            "no_payout_files",
            "SEPA files need an extra that is not installed here: "
            "pip install 'affiliates[payout-files]'.",
        ) from None
    return SepaTransfer(
        {
            "name": transfer_text(payer.name),
            "IBAN": payer.iban,
            "BIC": payer.bic,
            "batch": True,
            "currency": "EUR",
        },
        schema=SCHEMA,
    )
