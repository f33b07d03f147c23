"""The accounts of the ledger and the movements between them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

# The maximum of a 64-bit integer column.
MAX_AMOUNT = 2**63 - 1


class Account(TextChoices):
    """The accounts; each exists once per affiliate and currency."""

    EXPENSE = "expense", _("Program expense")
    PENDING = "pending", _("Pending")
    HELD = "held", _("Held")
    PAYABLE = "payable", _("Payable")
    CLEARING = "clearing", _("Being paid out")
    PAID_OUT = "paid_out", _("Paid out")


# What the brand owes: the other two are what it cost, and what left.
OWED_ACCOUNTS = (Account.PENDING, Account.HELD, Account.PAYABLE, Account.CLEARING)


class PostingKind(TextChoices):
    EARNED = "earned", _("Commission earned")
    HELD = "held", _("Commission held")
    RELEASED = "released", _("Commission released")
    APPROVED = "approved", _("Commission approved")
    REJECTED = "rejected", _("Commission rejected")
    REVERSED = "reversed", _("Commission reversed")
    RESTORED = "restored", _("Commission restored")
    PAYOUT_REQUESTED = "payout_requested", _("Payout requested")
    PAYOUT_PAID = "payout_paid", _("Payout paid")
    PAYOUT_REJECTED = "payout_rejected", _("Payout rejected")
    BONUS = "bonus", _("Bonus")
    BONUS_HELD = "bonus_held", _("Bonus, held")
    BONUS_RELEASED = "bonus_released", _("Held bonus released")
    BONUS_WITHDRAWN = "bonus_withdrawn", _("Held bonus withdrawn")
    DEDUCTION = "deduction", _("Deduction")
    PAYOUT_RETURNED = "payout_returned", _("Payout returned")


class Path(NamedTuple):
    """The permitted sources and targets for a kind of posting."""

    sources: Sequence[Account]
    targets: Sequence[Account]

    def allows(self, source: str | None, target: str | None) -> bool:
        return source in self.sources and target in self.targets


_UNPAID = (Account.PENDING, Account.HELD, Account.PAYABLE)

PATHS: Mapping[PostingKind, Path] = MappingProxyType(
    {
        PostingKind.EARNED: Path([Account.EXPENSE], [Account.PENDING]),
        PostingKind.HELD: Path([Account.PENDING, Account.PAYABLE], [Account.HELD]),
        PostingKind.RELEASED: Path([Account.HELD], [Account.PENDING]),
        PostingKind.APPROVED: Path([Account.PENDING], [Account.PAYABLE]),
        PostingKind.REJECTED: Path(_UNPAID, [Account.EXPENSE]),
        PostingKind.REVERSED: Path(_UNPAID, [Account.EXPENSE]),
        PostingKind.RESTORED: Path([Account.EXPENSE], _UNPAID),
        PostingKind.PAYOUT_REQUESTED: Path([Account.PAYABLE], [Account.CLEARING]),
        PostingKind.PAYOUT_PAID: Path([Account.CLEARING], [Account.PAID_OUT]),
        PostingKind.PAYOUT_REJECTED: Path([Account.CLEARING], [Account.PAYABLE]),
        PostingKind.BONUS: Path([Account.EXPENSE], [Account.PAYABLE]),
        PostingKind.BONUS_HELD: Path([Account.EXPENSE], [Account.HELD]),
        PostingKind.BONUS_RELEASED: Path([Account.HELD], [Account.PAYABLE]),
        PostingKind.BONUS_WITHDRAWN: Path([Account.HELD], [Account.EXPENSE]),
        PostingKind.DEDUCTION: Path([Account.PAYABLE], [Account.EXPENSE]),
        PostingKind.PAYOUT_RETURNED: Path([Account.PAID_OUT], [Account.PAYABLE]),
    }
)

PAYOUT_KINDS = frozenset(kind for kind in PostingKind if kind.startswith("payout"))
ADJUSTMENT_KINDS = frozenset(
    kind for kind in PostingKind if kind.startswith(("bonus", "deduction"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement:
    """``amount`` minor units that go from one account of an affiliate to another.

    ``key`` says what the movement is for; the ledger holds each key once.
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
    """The sum of postings to one account of an affiliate; may be below zero."""

    affiliate_id: int
    currency: str
    account: Account
    amount: int


def check(movement: Movement) -> None:
    """Raises ValueError for a movement that its kind does not permit."""
    path = PATHS[movement.kind]
    if not path.allows(movement.source, movement.target):
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
    """One for each account touched, in the order in which all callers lock them.

    Raises ValueError if they add up to more than an account can hold.
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
