"""Whether an affiliate may leave, and what becomes of its balances. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import TextChoices
from django.utils.translation import gettext_noop

from affiliates.payouts.rules import Refusal
from affiliates.program.rules import AffiliateStatus


class BalanceEnd(TextChoices):
    """The outcome for a balance when its affiliate leaves."""

    PAID = "paid"
    GIVEN_UP = "given_up"
    FORFEITED = "forfeited"
    OWED = "owed"
    NOTHING = "nothing"

    @property
    def is_kept(self) -> bool:
        """Whether the brand keeps the money."""
        return self in (BalanceEnd.GIVEN_UP, BalanceEnd.FORFEITED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaid:
    """An affiliate's unpaid amounts in one currency, in minor units.

    ``payable`` below zero is a debt. ``matures`` is when the last hold ends, None if
    nothing is in its hold. ``minimum`` is the least that is usually paid.
    """

    currency: str
    pending: int
    held: int
    payable: int
    being_paid: int
    is_being_sent: bool
    matures: datetime | None
    minimum: int

    @property
    def total(self) -> int:
        """The amount that is still to be paid, without a payout under way."""
        return self.pending + self.held + self.payable


SUSPENDED = Refusal(
    "affiliate_suspended",
    gettext_noop(
        "A suspended account cannot leave the program. Ask the support of your brand."
    ),
)
BEING_SENT = Refusal(
    "payout_being_sent",
    gettext_noop(
        "A payout to you is being sent. Leave the program when it has arrived."
    ),
)
PAYOUT_OPEN = Refusal(
    "payout_open",
    gettext_noop(
        "A payout to you is under way. You can give up your balance when it is finished."
    ),
)
REFUSALS = dict((SUSPENDED, BEING_SENT, PAYOUT_OPEN))


def judge_leaving(
    status: AffiliateStatus, unpaid: Iterable[Unpaid], *, gives_up: bool
) -> Refusal | None:
    """Why the affiliate cannot leave now, or None.

    A merged affiliate is suspended too.
    """
    balances = list(unpaid)
    if status is AffiliateStatus.SUSPENDED:
        return SUSPENDED
    if any(balance.is_being_sent for balance in balances):
        return BEING_SENT
    if gives_up and any(balance.being_paid for balance in balances):
        return PAYOUT_OPEN
    return None


def end_of(unpaid: Unpaid, *, pays_rest: bool, gives_up: bool) -> BalanceEnd:
    """Returns the outcome. ``pays_rest``: the brand also pays less than its minimum.

    A payout under way counts towards the minimum: if it fails, it is paid later.
    """
    if unpaid.total < 0:
        return BalanceEnd.OWED
    if unpaid.total == 0:
        return BalanceEnd.NOTHING
    if gives_up:
        return BalanceEnd.GIVEN_UP
    if not pays_rest and unpaid.total + unpaid.being_paid < unpaid.minimum:
        return BalanceEnd.FORFEITED
    return BalanceEnd.PAID


def split(unpaid: Unpaid, *, kept: int) -> list[tuple[Unpaid, bool]]:
    """Parts a balance, after leaving, into that which the brand keeps and the rest.

    Each with whether it is kept. What becomes payable later is kept first.
    """
    if kept <= 0 or kept >= unpaid.total:
        return [(unpaid, kept > 0)]
    pending = min(kept, unpaid.pending)
    held = min(kept - pending, unpaid.held)
    payable = kept - pending - held
    lost = replace(unpaid, pending=pending, held=held, payable=payable, being_paid=0)
    rest = replace(
        unpaid,
        pending=unpaid.pending - pending,
        held=unpaid.held - held,
        payable=unpaid.payable - payable,
    )
    return [(lost, True), (rest, False)]
