"""Payouts as PayPal's file: one recipient per row, no heading."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from affiliates.core.money import decimal_text
from affiliates.core.spreadsheets import neutral_text

WALLET = "PAYPAL"
MAX_NOTE = 400


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
        writer.writerow([neutral_text(cell) for cell in cells])
    return text.getvalue()
