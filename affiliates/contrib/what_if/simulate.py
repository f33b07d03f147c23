"""A draft of the rules applied to past orders, beside the rules of today."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from affiliates.brands.models.brand import Brand
from affiliates.contrib.what_if.rules import Comparison
from affiliates.contrib.what_if.selectors import (
    approved_before,
    coupons_of,
    histories,
    orders_between,
)
from affiliates.contrib.what_if.types import ChangedOrder, Draft, Side, SoFar


@dataclass(slots=True, kw_only=True)
class SimulatedOutcome:
    """The result of a simulation so far.

    ``costs`` are minor units by affiliate and currency: today's, then the draft's, of
    changed orders only. ``codes`` are the affiliates' codes in the latest changed
    order. ``unreadable`` counts orders whose decisions do not contain their inputs.
    ``discounts`` are what coupon codes took off the orders looked at.
    """

    looked_at: int = 0
    changed: int = 0
    unreadable: int = 0
    costs: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    codes: dict[int, str] = field(default_factory=dict)
    discounts: Counter[str] = field(default_factory=Counter)

    def add(self, change: ChangedOrder) -> None:
        self.changed += 1
        self._count(change.before, 0)
        self._count(change.after, 1)

    def totals(self) -> dict[str, list[int]]:
        """The costs of all affiliates together, by currency."""
        sums = (Counter[str](), Counter[str]())
        for (_, currency), costs in self.costs.items():
            for side, amount in zip(sums, costs, strict=True):
                side[currency] += amount
        return {currency: [side[currency] for side in sums] for currency in sums[0]}

    def _count(self, side: Side, place: int) -> None:
        if side.affiliate_id is None:
            return
        self.codes[side.affiliate_id] = side.affiliate_code
        for currency, amount in side.amounts.items():
            costs = self.costs.setdefault((side.affiliate_id, currency), [0, 0])
            costs[place] += amount


def simulate(
    brand: Brand,
    draft: Draft,
    *,
    first: datetime,
    last: datetime,
    outcome: SimulatedOutcome,
) -> Iterator[ChangedOrder | None]:
    """Each order of the time, oldest first: how the draft changes it, or None.

    ``outcome`` is added to. Nothing is written.
    """
    joined = approved_before(brand, first=first) if draft.gives_bonus else ()
    comparison = Comparison(
        draft=draft,
        coupon_of=coupons_of(brand),
        zone=brand.zone(),
        so_far=(SoFar(set(joined)), SoFar(set(joined))),
    )
    for order in histories(orders_between(brand, first=first, last=last)):
        outcome.looked_at += 1
        if order.inputs is not None and order.inputs.order.coupon is not None:
            for paid in order.paid:
                off = sum(line.discount for line in paid.lines)
                outcome.discounts[paid.gross.currency.code] += off
        change = None
        if order.inputs is None:
            outcome.unreadable += 1
        else:
            change = comparison.change_of(order, order.inputs)
        if change is not None:
            outcome.add(change)
        yield change
