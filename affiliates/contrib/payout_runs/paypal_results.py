"""PayPal's answers: a payout batch as its API shows it (JSON), or a report (CSV)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import orjson

from affiliates.contrib.payout_runs.types import Entry, Said
from affiliates.errors import InvalidInput

_SAID = {
    Said.PAID: ("SUCCESS", "COMPLETED"),
    Said.FAILED: ("FAILED", "BLOCKED", "DENIED"),
    Said.RETURNED: ("RETURNED", "REFUNDED", "REVERSED"),
    Said.WAITING: ("PENDING", "ONHOLD", "UNCLAIMED", "NEW", "PROCESSING"),
}
SAID: Mapping[str, Said] = {
    word: said for said, words in _SAID.items() for word in words
}
# The headings that a report may use, in lower case.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "reference": ("sender_item_id", "unique id", "customer id", "reference id"),
    "amount": ("amount", "gross", "gross amount"),
    "currency": ("currency", "currency code"),
    "status": ("transaction_status", "transaction status", "status"),
    "remote_ref": ("transaction_id", "transaction id"),
    "reason": ("error", "error_message", "reason", "failure reason"),
}
OPTIONAL = ("remote_ref", "reason")
_THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?")
_NUMBER = re.compile(r"-?\d+([.,]\d+)?")


def read_json(content: bytes) -> Iterator[Entry]:
    try:
        items = orjson.loads(content)["items"]
        for item in items:
            yield _item(item)
    except (AttributeError, KeyError, TypeError, orjson.JSONDecodeError):
        raise InvalidInput(
            "unknown_file", "This is no payout batch as PayPal's API shows it."
        ) from None


def read_csv(text: str) -> Iterator[Entry]:
    """Raises InvalidInput for a report without the headings that are needed."""
    lines = csv.reader(StringIO(text), delimiter=_delimiter(text))
    try:
        header = [cell.strip().casefold() for cell in next(lines, [])]
        places = {name: _place(header, name) for name in COLUMNS}
        for cells in lines:
            if any(cells):
                yield _row({name: _cell(cells, at) for name, at in places.items()})
    except csv.Error:
        raise InvalidInput("unreadable_file", "The file is no CSV.") from None


def _item(item: Mapping[str, Any]) -> Entry:
    sent = item["payout_item"]
    errors = item.get("errors") or {}
    return _row(
        {
            "reference": str(sent.get("sender_item_id", "")),
            "amount": str(sent["amount"]["value"]),
            "currency": str(sent["amount"]["currency"]),
            "status": str(item["transaction_status"]),
            "remote_ref": str(item.get("transaction_id", "")),
            "reason": f"{errors.get('name', '')} {errors.get('message', '')}".strip(),
        }
    )


def _row(cells: Mapping[str, str]) -> Entry:
    # No database stores a NUL.
    row = {name: cell.replace("\x00", "").strip() for name, cell in cells.items()}
    status = row["status"].upper()
    said = SAID.get(status, Said.UNCLEAR)
    reason = "" if said is Said.PAID else f"{status} {row['reason']}".strip()
    return Entry(
        said=said,
        reference=row["reference"],
        amount=_plain(row["amount"]),
        currency=row["currency"].upper(),
        reason=reason,
        remote_ref=row["remote_ref"],
    )


def _place(header: list[str], name: str) -> int | None:
    for heading in COLUMNS[name]:
        if heading in header:
            return header.index(heading)
    if name in OPTIONAL:
        return None
    names = " or ".join(COLUMNS[name])
    raise InvalidInput("missing_column", f"The report has no column {names}.")


def _cell(cells: list[str], place: int | None) -> str:
    return cells[place].strip() if place is not None and place < len(cells) else ""


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _plain(amount: str) -> str:
    """A decimal point and no thousands: "1,234.50" is 1234.50, "12,50" is 12.50.

    The sign of a debit is dropped. Text in another form matches no payout.
    """
    if _THOUSANDS.fullmatch(amount):
        amount = amount.replace(",", "")
    elif _NUMBER.fullmatch(amount):
        amount = amount.replace(",", ".")
    return amount.removeprefix("-")
