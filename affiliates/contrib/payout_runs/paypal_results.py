"""PayPal's answers: a payout batch as its API shows it (JSON), or a report (CSV)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from io import BytesIO
from itertools import islice
from typing import Any

import orjson
from moneyed import CurrencyDoesNotExist, get_currency

from affiliates.contrib.payout_runs.types import CHARGED, UNMARKED, Entry, Said
from affiliates.core.money import minor_unit
from affiliates.core.tables.cells import plain_heading, trimmed
from affiliates.core.tables.numbers import read_decimals
from affiliates.core.tables.reading import (
    Records,
    UnreadableTable,
    open_table,
    separator_of,
)
from affiliates.errors import InvalidInput
from affiliates.payouts.providers.references import payout_number

# Statuses in capitals, without the blanks and marks between their words.
_SAID = {
    Said.PAID: "SUCCESS SUCCEEDED COMPLETED ABGESCHLOSSEN ERFOLGREICH",
    Said.FAILED: "FAILED BLOCKED DENIED REFUSED CANCELED CANCELLED EXPIRED VOIDED "
    "ABGELEHNT VERWEIGERT FEHLGESCHLAGEN STORNIERT ABGEBROCHEN BLOCKIERT GESPERRT "
    "ABGELAUFEN",
    Said.RETURNED: "RETURNED REFUNDED REVERSED ZURÜCKGEGEBEN ZURÜCKGESENDET "
    "ZURÜCKGEZAHLT ZURÜCKERSTATTET RÜCKERSTATTET ERSTATTET ZURÜCKGEBUCHT "
    "RÜCKGÄNGIGGEMACHT",
    # PROCESSED: accepted and sent, perhaps not claimed yet.
    Said.WAITING: "PENDING PROCESSING PROCESSED NEW CREATED ONHOLD HELD UNCLAIMED "
    "UNDERREVIEW INREVIEW TEMPORARYHOLD AUSSTEHEND OFFEN INBEARBEITUNG WIRDBEARBEITET "
    "VERARBEITET BEARBEITET EINBEHALTEN NICHTABGEHOLT NICHTEINGEFORDERT "
    "NICHTBEANSPRUCHT INPRÜFUNG WIRDGEPRÜFT ZURÜCKGESTELLT",
}
SAID: Mapping[str, Said] = {
    word: said for said, words in _SAID.items() for word in words.split()
}
# The headings that a report may use, English and German.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "reference": (
        *("sender_item_id", "unique_id", "eindeutige_id", "customer_id"),
        *("kunden_id", "reference_id", "referenz_id", "custom_number", "zollnummer"),
        *("invoice_number", "rechnungsnummer"),
    ),
    "amount": ("amount", "betrag", "gross", "brutto", "gross_amount", "bruttobetrag"),
    "currency": ("currency", "währung", "currency_code", "währungscode", "waehrung"),
    "status": ("transaction_status", "transaktionsstatus", "status"),
    "remote_ref": ("transaction_id", "transaktionscode", "transaktions_id"),
    "reason": (
        *("error", "error_message", "reason", "failure_reason"),
        *("fehler", "fehlermeldung", "grund", "ablehnungsgrund"),
    ),
    "type": (
        *("type", "typ", "transaction_type", "transaktionstyp"),
        *("transaction_event_code", "event_code"),
    ),
    "impact": ("balance_impact", "auswirkung_auf_guthaben"),
}
REQUIRED = ("reference", "amount", "currency", "status")
# Amounts of these columns have a sign in a report of all activities.
_SIGNED = frozenset({"gross", "brutto", "gross_amount", "bruttobetrag"})
# Words in a row's type, or its code at PayPal.
_OF_RETURNS = re.compile(
    r"revers|return|refund|cancel|storn|rück|rueck|erstatt|T110[67]|T111[45]",
    re.IGNORECASE,
)
_OF_PAYMENTS = re.compile(
    r"sent|mass ?pay|payout|gesendet|massenzahlung|auszahlung", re.IGNORECASE
)


class _Side(Enum):
    """The direction of a row's money, as seen by the payer."""

    OUT = "out"
    IN = "in"
    UNSAID = "unsaid"


_IMPACTS = {
    **dict.fromkeys(("debit", "soll", "belastung"), _Side.OUT),
    **dict.fromkeys(("credit", "haben", "gutschrift"), _Side.IN),
}


def read_json(content: bytes) -> Iterator[Entry]:
    try:
        items = orjson.loads(content)["items"]
        for item in items:
            yield _item(item)
    except (AttributeError, KeyError, TypeError, orjson.JSONDecodeError):
        raise InvalidInput(
            "unknown_file", "This is no payout batch as PayPal's API shows it."
        ) from None


def read_csv(content: bytes, *, limit: int) -> Iterator[Entry]:
    """Its rows up to ``limit``, and one more that tells that there are too many.

    Raises InvalidInput for a report without the headings that are needed.
    """
    try:
        text = open_table(BytesIO(content))
        records = Records(text, separator_of(text, _count_known))
        headings = [plain_heading(cell) for cell in next(records, [])]
        places = {name: _places(headings, name) for name in COLUMNS}
        filled = (cells for cells in records if any(map(trimmed, cells)))
        rows = [_cells_of(cells, places) for cells in islice(filled, limit + 1)]
    except UnicodeDecodeError:
        raise _unreadable("The file is no text that can be read.") from None
    except UnreadableTable:
        raise _unreadable("The file is no CSV.") from None
    is_activity = bool(places["type"]) and headings[places["amount"][0]] in _SIGNED
    is_signed = is_activity or any((_number_of(row) or 0) < 0 for row in rows)
    for row in rows:
        yield _entry(row, side=_side_of(row, is_signed=is_signed))


def _unreadable(sentence: str) -> InvalidInput:
    return InvalidInput("unreadable_file", sentence)


def _count_known(records: Records) -> tuple[int, int]:
    try:
        headings = [plain_heading(cell) for cell in next(records, [])]
    except UnreadableTable:
        return (-1, 0)
    known = [name for names in COLUMNS.values() for name in names if name in headings]
    return len(known), len(headings)


def _places(headings: Sequence[str], name: str) -> list[int]:
    places = [headings.index(name) for name in COLUMNS[name] if name in headings]
    if not places and name in REQUIRED:
        names = " or ".join(COLUMNS[name]).replace("_", " ")
        raise InvalidInput("missing_column", f"The report has no column {names}.")
    return places


def _cells_of(
    cells: Sequence[str], places: Mapping[str, Sequence[int]]
) -> dict[str, str]:
    row = {}
    for name, columns in places.items():
        texts = [trimmed(cells[at]) for at in columns if at < len(cells)]
        filled = [text for text in texts if text]
        if name == "reference":
            # A report has several columns for numbers of the payer's own.
            filled.sort(key=lambda text: payout_number(text) is None)
        row[name] = " ".join(filled) if name == "type" else next(iter(filled), "")
    return row


def _item(item: Mapping[str, Any]) -> Entry:
    sent = item["payout_item"]
    errors = item.get("errors") or {}
    return _entry(
        {
            "reference": str(sent.get("sender_item_id", "")),
            "amount": str(sent["amount"]["value"]),
            "currency": str(sent["amount"]["currency"]),
            "status": str(item["transaction_status"]),
            "remote_ref": str(item.get("transaction_id", "")),
            "reason": f"{errors.get('name', '')} {errors.get('message', '')}".strip(),
            "type": "",
        },
        side=_Side.UNSAID,
    )


def _entry(cells: Mapping[str, str], *, side: _Side) -> Entry:
    # No database stores a NUL.
    row = {name: trimmed(cell.replace("\x00", "")) for name, cell in cells.items()}
    status = " ".join(row["status"].upper().split())
    said = SAID.get(re.sub(r"[\W_]+", "", status), Said.UNCLEAR)
    said, sentence = _judge(said, side=side, kind=row["type"])
    known = "" if said is Said.PAID else f"{status} {row['reason']}".strip()
    number = _number_of(row)
    return Entry(
        said=said,
        reference=row["reference"],
        amount=row["amount"] if number is None else f"{abs(number):f}",
        currency=row["currency"].upper(),
        reason=sentence or known,
        remote_ref=row["remote_ref"],
    )


def _judge(said: Said, *, side: _Side, kind: str) -> tuple[Said, str]:
    """The meaning of a status for money that went or came; "" keeps its words."""
    is_return = _OF_RETURNS.search(kind) is not None
    if said is Said.PAID and is_return:
        if side is _Side.OUT:
            return Said.UNCLEAR, f"{CHARGED} {kind}"
        return Said.RETURNED, kind
    if side is _Side.IN and said is Said.PAID:
        return Said.UNCLEAR, UNMARKED
    if side is _Side.IN and said is Said.FAILED:
        return Said.UNCLEAR, ""
    return said, ""


def _side_of(row: Mapping[str, str], *, is_signed: bool) -> _Side:
    """Whether money went or came, if the report says so at all."""
    if (impact := row["impact"].casefold()) in _IMPACTS:
        return _IMPACTS[impact]
    number = _number_of(row)
    if number is None or number == 0:
        return _Side.UNSAID
    if number < 0:
        return _Side.OUT
    is_listed_payment = not row["type"] or _OF_PAYMENTS.search(row["type"])
    return _Side.UNSAID if not is_signed and is_listed_payment else _Side.IN


def _number_of(row: Mapping[str, str]) -> Decimal | None:
    """The amount with its sign, None if it is none or could be two.

    1.234 is no amount of euros, so it is 1234.
    """
    numbers = read_decimals(row["amount"])
    if len(numbers) > 1:
        try:
            unit = minor_unit(get_currency(row["currency"].upper()))
        except CurrencyDoesNotExist:
            return None
        numbers = {number for number in numbers if number % unit == 0}
    return numbers.pop() if len(numbers) == 1 else None
