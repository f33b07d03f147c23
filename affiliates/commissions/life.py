"""A commission as a plain value, and the steps that it takes. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

from affiliates.commissions.rules import (
    CommissionStatus,
    Judgement,
    PastStep,
    Way,
    Why,
    way_of,
)
from affiliates.ledger.rules import Account, PostingKind
from affiliates.sales.refunded import in_proportion


class LifeStep(NamedTuple):
    """A step of a commission. ``left`` is its amount after the step.

    ``refund`` is the place, among the facts, of the refund that the step follows from,
    and ``moved`` what that takes (below zero) or gives back.
    """

    before: CommissionStatus | None
    after: CommissionStatus
    why: Why
    left: int
    refund: int | None = None
    moved: int = 0

    @property
    def way(self) -> Way | None:
        """How the money goes; None if the step moves none."""
        if self.refund is None or self.before is None:
            return way_of(self.before, self.after)
        if self.moved > 0:
            return Way(PostingKind.RESTORED, Account.EXPENSE, self.after.account)
        return Way(PostingKind.REVERSED, self.before.account, Account.EXPENSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A commission as it is, and the steps that it takes now.

    ``past`` are its steps, the latest first: status before, status after, and why.
    ``reversals`` are the amounts of refunds, by their place among the facts.
    ``by_line`` is what each line earned, of the commission that a share is of.
    """

    amount: int
    left: int
    currency: str
    judgement: Judgement
    matures_at: datetime
    is_in_payout: bool = False
    past: tuple[PastStep, ...] = ()
    steps: tuple[LifeStep, ...] = ()
    reversals: tuple[tuple[int, int], ...] = ()
    by_line: tuple[int, ...] = ()

    @property
    def status(self) -> CommissionStatus:
        return self.judgement.status

    @property
    def parts(self) -> list[Fraction]:
        """The amount's part of each line."""
        return in_proportion(self.amount, self.by_line)

    def step(self, judgement: Judgement, why: Why, **refund: int) -> Life:
        left = self.left + refund.get("moved", 0)
        step = LifeStep(self.status, judgement.status, why, left, **refund)
        return replace(
            self,
            judgement=judgement,
            left=left,
            steps=(*self.steps, step),
            past=((step.before or "", step.after, why), *self.past),
        )
