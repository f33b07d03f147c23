"""Files for the bank and PayPal as an operator downloads them, and what each answers."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from io import StringIO

from tests.affiliates.payouts.bank import (
    paid,
    paypal_items,
    returned,
    statement,
    status_report,
)


@dataclass(frozen=True)
class Line:
    """What a file for the bank or PayPal says is to be paid."""

    reference: str
    minor: int

    @property
    def number(self) -> int:
        return int(self.reference.removeprefix("PAYOUT-"))


def lines_of(text: str) -> list[Line]:
    if text.startswith("<"):
        found = (
            re.findall(r'<InstdAmt Ccy="EUR">([\d.]+)<', text),
            re.findall(r"<EndToEndId>(PAYOUT-\d+)<", text),
        )
        return [Line(ref, minor_of(one)) for one, ref in zip(*found, strict=True)]
    rows = csv.reader(StringIO(text))
    return [Line(ref, minor_of(amount)) for _, amount, _, ref, *_ in rows]


def bank_says(bank: list[Line], paypal: list[Line]) -> bytes:
    """One transfer failed, one came back, one is of another amount, one is only
    announced; and money that is none of ours, once under a reference of PayPal's."""
    failed, back, other, announced, *rest = bank[1:]
    return statement(
        *(paid(one.reference, one.minor, number=one.number) for one in rest),
        paid(back.reference, back.minor, number=back.number),
        returned(back.reference, back.minor, code="AC06", text="Account blocked"),
        returned(failed.reference, failed.minor),
        paid(other.reference, other.minor + 1),
        paid(announced.reference, announced.minor, status="PDNG"),
        paid(paypal[0].reference, paypal[0].minor),
        paid("RENT-1", 90_000),
    )


def bank_reports(bank: list[Line]) -> bytes:
    """The first transfer is rejected, the others are only taken."""
    return status_report(
        *((one.reference, "ACSC", one.minor, "") for one in bank[1:]),
        (bank[0].reference, "RJCT", bank[0].minor, "AC04"),
    )


def paypal_says(paypal: list[Line]) -> bytes:
    """The first payment failed, the second waits for somebody to take it."""
    return paypal_items(
        (paypal[0].reference, "FAILED", paypal[0].minor),
        (paypal[1].reference, "UNCLAIMED", paypal[1].minor),
        *((one.reference, "SUCCESS", one.minor) for one in paypal[2:]),
    )


def minor_of(amount: str) -> int:
    units, _, cents = amount.partition(".")
    return int(units) * 100 + int(cents.ljust(2, "0"))


def sum_of(lines: list[Line]) -> str:
    minor = sum(one.minor for one in lines)
    return f"€{minor // 100}.{minor % 100:02}"
