"""What a bank or PayPal says of one payout, and what is known of that payout here."""

from __future__ import annotations

from dataclasses import dataclass

from affiliates.core.enums import LabelledEnum


class Said(LabelledEnum):
    """What a line of an answer means, whoever wrote it."""

    PAID = "paid", "Paid"
    FAILED = "failed", "Failed"
    RETURNED = "returned", "Returned"
    WAITING = "waiting", "Waiting"
    UNCLEAR = "unclear", "Not understood"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """``amount`` is a decimal number as it was written, ``remote_ref`` their own."""

    said: Said
    reference: str
    amount: str = ""
    currency: str = ""
    reason: str = ""
    remote_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A payout that an entry names."""

    number: int
    status: str
    kind: str
    amount: int
    currency: str
    is_in_a_file: bool
    paid_by_this_answer: bool = False
