"""The two sides of a simulation, and the orders that they are applied to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from moneyed import Money

from affiliates.brands.rules import AttributionTerms
from affiliates.plans.rules.matching import LineFacts
from affiliates.plans.rules.terms import CouponTerms, PlanTerms, TierBasis
from affiliates.referrals.rules.types import Inputs, Touch
from affiliates.sales.refunded import InvoiceAmounts, Refunded

CouponOf = Callable[[str, int, datetime], CouponTerms | None]


@dataclass(slots=True)
class SoFar:
    """Totals of the orders simulated so far, on one side.

    ``earned`` is per cap period, ``counted`` per tier period in the tier's unit.
    Affiliates in ``joined`` get no joining bonus any more.
    """

    joined: set[int] = field(default_factory=set)
    earned: Counter[tuple[int, str, datetime]] = field(default_factory=Counter)
    counted: Counter[tuple[int, str, TierBasis, datetime]] = field(
        default_factory=Counter
    )


class PlanInForce(NamedTuple):
    name: str
    number: int
    terms: PlanTerms

    def __str__(self) -> str:
        return f"{self.name} version {self.number}"


class DraftedPlan(NamedTuple):
    """A saved plan as an unsaved form has it. ``in_force`` is the version it would be."""

    plan_id: int
    in_force: PlanInForce
    is_default: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The rules of one side: the attribution policy, and each affiliate's plan.

    ``sharers`` are the users who would get a share of what an affiliate earns.
    """

    terms: AttributionTerms
    plans: Mapping[int, PlanInForce]
    sharers: Mapping[int, Any] = field(default_factory=dict)

    def of(self, winner: Touch | None) -> PlanInForce | None:
        return None if winner is None else self.plans.get(winner.affiliate_id)


class Draft(NamedTuple):
    """The rules of today and those that a draft would put in their place."""

    today: Configuration
    drafted: Configuration

    @property
    def gives_bonus(self) -> bool:
        plans = (plan for side in self for plan in side.plans.values())
        return any(plan.terms.joining_bonus for plan in plans)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidFacts:
    """One paid invoice of an order, and what of it went back to the client.

    ``position`` is that of its sale; where it made none, by all payments known today.
    """

    renewal_number: int
    position: int
    paid_at: datetime
    gross: Money
    invoice: InvoiceAmounts
    refunded: Refunded
    lines: tuple[LineFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderHistory:
    """A converted order as it was decided, with all that was paid for it since.

    ``inputs`` is None for a decision that does not hold what it was made from.
    """

    referral_id: int
    order_ref: str
    converted_at: datetime
    inputs: Inputs | None
    client_id: Any = None
    paid: tuple[PaidFacts, ...]


class Side(NamedTuple):
    """Who is credited by one configuration, why, and what for.

    ``amounts`` are minor units by currency, without those that are zero, and with the
    share of the affiliate's recruiter. ``plan`` is the one that the affiliate earns by,
    "" where there is none.
    """

    affiliate_id: int | None
    affiliate_code: str
    is_notified: bool
    is_held: bool
    reason: str
    plan: str
    amounts: Mapping[str, int]

    @property
    def winner(self) -> str:
        names = [self.affiliate_code] if self.affiliate_code else []
        if self.is_notified:
            names.append("tracking integration")
        return " and ".join(names) or "nobody"

    def credits_like(self, other: Side) -> bool:
        """Whether both credit the same, with the same amounts."""
        mine = self.affiliate_id, self.is_notified, self.amounts
        return mine == (other.affiliate_id, other.is_notified, other.amounts)


class ChangedOrder(NamedTuple):
    """An order that comes out otherwise.

    ``loss`` is why the draft does not credit the affiliate of today, "" where it does.
    """

    referral_id: int
    order_ref: str
    converted_at: datetime
    before: Side
    after: Side
    loss: str
