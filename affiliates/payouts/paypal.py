"""Payouts as the file that PayPal takes: one recipient a row, no heading."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from affiliates.core.money import decimal_text

WALLET = "PAYPAL"
MAX_NOTE = 400
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class PayPalRow:
    """``reference`` has at most 30 characters and no space, and is used once."""

    email: str
    amount: int
    currency: str
    reference: str
    note: str


def write_csv(rows: Sequence[PayPalRow]) -> str:
    text = StringIO()
    writer = csv.writer(text)
    for row in rows:
        cells = (
            row.email,
            decimal_text(row.amount, row.currency),
            row.currency,
            row.reference,
            row.note[:MAX_NOTE],
            WALLET,
        )
        writer.writerow([_harmless(cell) for cell in cells])
    return text.getvalue()


def _harmless(cell: str) -> str:
    """A cell that a spreadsheet takes for text and not for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell
