"""The accounts of the books and the movements between them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from affiliates.core.enums import LabelledEnum

# What a 64-bit integer column holds.
MAX_AMOUNT = 2**63 - 1


class Account(LabelledEnum):
    """Each exists once for an affiliate and a currency."""

    EXPENSE = "expense", "Program expense"
    PENDING = "pending", "Pending"
    HELD = "held", "Held"
    PAYABLE = "payable", "Payable"
    CLEARING = "clearing", "Being paid out"
    PAID_OUT = "paid_out", "Paid out"


class PostingKind(LabelledEnum):
    EARNED = "earned", "Commission earned"
    HELD = "held", "Commission held"
    RELEASED = "released", "Commission released"
    APPROVED = "approved", "Commission approved"
    REJECTED = "rejected", "Commission rejected"
    REVERSED = "reversed", "Commission reversed"
    PAYOUT_REQUESTED = "payout_requested", "Payout requested"
    PAYOUT_PAID = "payout_paid", "Payout paid"
    PAYOUT_REJECTED = "payout_rejected", "Payout rejected"
    BONUS = "bonus", "Bonus"
    BONUS_HELD = "bonus_held", "Bonus, held"
    BONUS_RELEASED = "bonus_released", "Held bonus released"
    BONUS_WITHDRAWN = "bonus_withdrawn", "Held bonus withdrawn"
    DEDUCTION = "deduction", "Deduction"
    PAYOUT_RETURNED = "payout_returned", "Payout returned"


class Path(NamedTuple):
    """Where the money of a kind of posting may come from, and where it goes."""

    sources: Sequence[Account]
    target: Account


_UNPAID = (Account.PENDING, Account.HELD, Account.PAYABLE)

PATHS: Mapping[PostingKind, Path] = MappingProxyType(
    {
        PostingKind.EARNED: Path([Account.EXPENSE], Account.PENDING),
        PostingKind.HELD: Path([Account.PENDING, Account.PAYABLE], Account.HELD),
        PostingKind.RELEASED: Path([Account.HELD], Account.PENDING),
        PostingKind.APPROVED: Path([Account.PENDING], Account.PAYABLE),
        PostingKind.REJECTED: Path(_UNPAID, Account.EXPENSE),
        PostingKind.REVERSED: Path(_UNPAID, Account.EXPENSE),
        PostingKind.PAYOUT_REQUESTED: Path([Account.PAYABLE], Account.CLEARING),
        PostingKind.PAYOUT_PAID: Path([Account.CLEARING], Account.PAID_OUT),
        PostingKind.PAYOUT_REJECTED: Path([Account.CLEARING], Account.PAYABLE),
        PostingKind.BONUS: Path([Account.EXPENSE], Account.PAYABLE),
        PostingKind.BONUS_HELD: Path([Account.EXPENSE], Account.HELD),
        PostingKind.BONUS_RELEASED: Path([Account.HELD], Account.PAYABLE),
        PostingKind.BONUS_WITHDRAWN: Path([Account.HELD], Account.EXPENSE),
        PostingKind.DEDUCTION: Path([Account.PAYABLE], Account.EXPENSE),
        PostingKind.PAYOUT_RETURNED: Path([Account.PAID_OUT], Account.PAYABLE),
    }
)

PAYOUT_KINDS = frozenset(kind for kind in PostingKind if kind.startswith("payout"))
ADJUSTMENT_KINDS = frozenset(
    kind for kind in PostingKind if kind.startswith(("bonus", "deduction"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement:
    """``amount`` minor units that go from one account of an affiliate to another.

    ``key`` says what the movement is for; the books hold each key once.
    """

    kind: PostingKind
    key: str
    source: Account
    target: Account
    affiliate_id: int
    brand_id: int
    currency: str
    amount: int
    commission_id: int | None = None
    payout_id: int | None = None


class BalanceChange(NamedTuple):
    """What postings add to one account of an affiliate, below zero included."""

    affiliate_id: int
    currency: str
    account: Account
    amount: int


def check(movement: Movement) -> None:
    """Raises ValueError for a movement that the books have no place for."""
    path = PATHS[movement.kind]
    if movement.source not in path.sources or movement.target != path.target:
        raise ValueError(
            f"{movement.key}: nothing {movement.kind} goes from {movement.source} to "
            f"{movement.target}."
        )
    if movement.amount < 0:
        raise ValueError(
            f"{movement.key}: {movement.amount} is below zero. Money goes back by a "
            "movement of its own kind."
        )
    if movement.amount > MAX_AMOUNT:
        raise ValueError(f"{movement.key}: {movement.amount} is too large to be kept.")


def balance_changes(movements: Sequence[Movement]) -> list[BalanceChange]:
    """One for each account touched, in the order in which all lock them.

    Raises ValueError where they add up to more than an account can hold.
    """
    sums: Counter[tuple[int, str, Account]] = Counter()
    for movement in movements:
        owner = movement.affiliate_id, movement.currency
        sums[*owner, movement.source] -= movement.amount
        sums[*owner, movement.target] += movement.amount
    changes = [BalanceChange(*account, amount) for account, amount in sums.items()]
    for change in changes:
        if abs(change.amount) > MAX_AMOUNT:
            raise ValueError(f"{change.amount} is too large to be kept.")
    return sorted(change for change in changes if change.amount)
