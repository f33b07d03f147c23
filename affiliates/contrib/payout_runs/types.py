"""The statement of a bank or PayPal on a payout, and our facts about that payout."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import TextChoices


class Said(TextChoices):
    """The meaning of an answer's line, from any sender."""

    PAID = "paid", "Paid"
    FAILED = "failed", "Failed"
    RETURNED = "returned", "Returned"
    WAITING = "waiting", "Waiting"
    UNCLEAR = "unclear", "Not understood"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """``amount`` is a decimal number as written, ``remote_ref`` the sender's own."""

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
    affiliate: str
    kind: str
    amount: int
    currency: str
    is_in_a_file: bool
    paid_by_this_answer: bool = False
