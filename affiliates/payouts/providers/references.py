"""Our references in files for the bank and PayPal, and in their answers."""

from __future__ import annotations

import re
from datetime import date, datetime

_PAYOUT, _BATCH = "PAYOUT-", "BATCH-"
_TIME = "%Y%m%d%H%M%S"
_OURS = re.compile(
    rf"(?<![A-Z0-9])(?:{_PAYOUT}[0-9]{{1,18}}|{_BATCH}[0-9]{{1,14}}-[0-9]{{14}})(?![0-9])",
    re.IGNORECASE,
)


def payout_reference(number: int) -> str:
    return f"{_PAYOUT}{number}"


def batch_reference(number: int, at: datetime) -> str:
    """The identification of a file and of its only collected payment.

    At most 35 characters of SEPA. The time keeps it unique where a restored database
    gives a number again, on the same day too.
    """
    return f"{_BATCH}{number}-{at:{_TIME}}"


def batch_day(reference: str) -> date:
    """The day of a batch's reference, in UTC."""
    return datetime.strptime(reference.rpartition("-")[2], _TIME).date()  # noqa: DTZ007 - UTC


def payout_number(reference: str) -> int | None:
    """The payout that one of our references names: PAYOUT-17 names 17."""
    return _number(reference, _PAYOUT)


def batch_number(reference: str) -> int | None:
    """The batch that one of our references names: BATCH-3-20261231094500 names 3."""
    return _number(reference, _BATCH)


def references_in(text: str) -> list[str]:
    """Our references to payouts and batches anywhere in a text."""
    return [match[0].upper() for match in _OURS.finditer(text)]


def _number(reference: str, prefix: str) -> int | None:
    text = reference.strip()
    if not (text.startswith(prefix) and _OURS.fullmatch(text)):
        return None
    return int(text.split("-")[1])
