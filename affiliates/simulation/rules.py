"""What an order would have earned under other rules: pure comparison, nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from moneyed import Money

from affiliates.brands.rules import AttributionTerms
from affiliates.commissions.rules import taken_back
from affiliates.plans.rules.matching import LineFacts, SaleFacts, cap_period_start
from affiliates.plans.rules.receipts import compute_commission
from affiliates.plans.rules.terms import CouponTerms, PlanTerms
from affiliates.referrals.rules.choices import Outcome
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.types import Decision, Inputs, Policy, Touch

CouponOf = Callable[[str, int, datetime], CouponTerms | None]
# What affiliates earned in each period of a cap so far, on one side.
Caps = Counter[tuple[int, str, datetime]]
# Whose joining bonus is no longer to be had, on one side.
Joined = set[int]


class PlanInForce(NamedTuple):
    name: str
    number: int
    terms: PlanTerms

    def __str__(self) -> str:
        return f"{self.name} version {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The rules of one side: the attribution policy, and each affiliate's plan."""

    terms: AttributionTerms
    plans: Mapping[int, PlanInForce]

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
    """One paid invoice of an order, and what of it went back to the client."""

    renewal_number: int
    paid_at: datetime
    gross: Money
    refunded: Money
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
    paid: tuple[PaidFacts, ...]


class Side(NamedTuple):
    """Who is credited by one configuration, why, and what for.

    ``amounts`` are minor units by currency, without those that are zero. ``plan`` is
    the one that the affiliate earns by, "" where there is none.
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


@dataclass(slots=True, kw_only=True)
class Comparison:
    """Two configurations, applied to one order after the other, oldest first.

    A cap counts from the first of these orders on, in the order of their conversion. A
    joining bonus comes with the first of them that earns, unless the affiliate was
    approved a commission of an earlier one: ``joined`` begins with those.
    """

    draft: Draft
    coupon_of: CouponOf
    joined: tuple[Joined, Joined] = field(default_factory=lambda: (set(), set()))
    caps: tuple[Caps, Caps] = field(default_factory=lambda: (Counter(), Counter()))

    def change_of(self, order: OrderHistory, inputs: Inputs) -> ChangedOrder | None:
        """How the order comes out otherwise, or None."""
        today, draft = self.draft
        decided = _decide(inputs, today.terms)
        drafted = decided
        if draft.terms != today.terms:
            drafted = _decide(inputs, draft.terms)
        if self._is_the_same(decided, drafted):
            return None
        before = self._side(order, decided, 0)
        after = self._side(order, drafted, 1)
        if before.credits_like(after):
            return None
        return ChangedOrder(
            referral_id=order.referral_id,
            order_ref=order.order_ref,
            converted_at=order.converted_at,
            before=before,
            after=after,
            loss=_loss(decided.winner, drafted),
        )

    def _is_the_same(self, decided: Decision, drafted: Decision) -> bool:
        """Whether both sides credit alike, by one plan that looks at no other order."""
        if _credited(decided) != _credited(drafted):
            return False
        if decided.winner is None:
            return True
        plan = self.draft.today.of(decided.winner)
        is_one_plan = plan == self.draft.drafted.of(decided.winner)
        return is_one_plan and (plan is None or not plan.terms.looks_at_other_orders)

    def _side(self, order: OrderHistory, decision: Decision, place: int) -> Side:
        winner = decision.winner
        plan = self.draft[place].of(winner)
        amounts: Counter[str] = Counter()
        if winner is not None and plan is not None:
            named = decision.inputs.order.coupon
            coupon = named and self.coupon_of(
                named.code, winner.affiliate_id, order.converted_at
            )
            for paid in order.paid:
                currency = paid.gross.currency.code
                earned = _earned(
                    paid,
                    plan=plan,
                    coupon=coupon,
                    affiliate_id=winner.affiliate_id,
                    ordered_at=order.converted_at,
                    caps=self.caps[place],
                )
                if earned and winner.affiliate_id not in self.joined[place]:
                    self.joined[place].add(winner.affiliate_id)
                    earned += plan.terms.joining_bonus.get(currency, 0)
                amounts[currency] += earned
        return Side(
            affiliate_id=None if winner is None else winner.affiliate_id,
            affiliate_code="" if winner is None else winner.affiliate_code,
            is_notified=decision.notified is not None,
            is_held=decision.outcome is Outcome.HELD,
            reason=decision.reason.label,
            plan="" if plan is None else str(plan),
            amounts={
                currency: earned for currency, earned in amounts.items() if earned
            },
        )


def _decide(inputs: Inputs, terms: AttributionTerms) -> Decision:
    policy = Policy(terms=terms, version_id=None, version=None)
    return decide(replace(inputs, policy=policy))


def _credited(decision: Decision) -> tuple[int | None, bool]:
    winner = decision.winner
    return (
        None if winner is None else winner.affiliate_id,
        decision.notified is not None,
    )


def _loss(winner: Touch | None, drafted: Decision) -> str:
    """What became of the touch that wins today, where the draft credits another."""
    if winner is None:
        return ""
    chosen = drafted.winner
    if chosen is not None and chosen.affiliate_id == winner.affiliate_id:
        return ""
    for one in drafted.candidates:
        touch = one.touch
        if (touch.carrier, touch.click_id) == (winner.carrier, winner.click_id):
            return one.verdict.label
    return ""


def _earned(
    paid: PaidFacts,
    *,
    plan: PlanInForce,
    coupon: CouponTerms | None,
    affiliate_id: int,
    ordered_at: datetime,
    caps: Caps,
) -> int:
    """What the invoice earns, refunds taken off, in minor units."""
    currency = paid.gross.currency.code
    start = cap_period_start(plan.terms.cap_period, at=paid.paid_at)
    period = affiliate_id, currency, start
    receipt = compute_commission(
        SaleFacts(
            currency=currency,
            renewal_number=paid.renewal_number,
            ordered_at=ordered_at,
            paid_at=paid.paid_at,
            affiliate_id=affiliate_id,
            coupon=coupon,
            earned_in_period=caps[period],
            lines=paid.lines,
        ),
        terms=plan.terms,
        plan_name=plan.name,
        version_number=plan.number,
    )
    left = receipt.amount - taken_back(
        amount=receipt.amount,
        currency=currency,
        paid_gross=paid.gross,
        refunded_before=Money(0, paid.gross.currency),
        refund=paid.refunded,
    )
    caps[period] += left
    return left
