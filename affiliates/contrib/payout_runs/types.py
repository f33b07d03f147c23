"""The statement of a bank or PayPal on a payout, and our facts about that payout."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import TextChoices

UNMARKED = (
    "Money came in under this reference, and nothing says that it is a return: look at "
    "it."
)
CHARGED = "A return that was charged: look at it."


class Said(TextChoices):
    """The meaning of an answer's line, from any sender."""

    PAID = "paid", "Paid"
    FAILED = "failed", "Failed"
    RETURNED = "returned", "Returned"
    WAITING = "waiting", "Waiting"
    UNCLEAR = "unclear", "Not understood"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """``amount`` is a decimal number as written, ``remote_ref`` the sender's own.

    ``is_batch``: the line names no single payout, but may be the sum or the status of
    a whole batch, of ``count`` payouts if the sender says so.
    """

    said: Said
    reference: str
    amount: str = ""
    currency: str = ""
    reason: str = ""
    remote_ref: str = ""
    is_batch: bool = False
    count: int | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPayout:
    """A payout of an exported batch; ``amount`` is in minor units."""

    reference: str
    amount: int
    is_open: bool
    is_rejected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBatch:
    """A batch that a line may be about."""

    number: int
    currency: str
    payouts: tuple[BatchPayout, ...]
