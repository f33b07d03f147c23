"""Compares orders' commissions under two sets of rules. Pure: writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from affiliates.brands.rules import AttributionTerms
from affiliates.contrib.what_if.types import (
    ChangedOrder,
    CouponOf,
    Draft,
    OrderHistory,
    PaidFacts,
    PlanInForce,
    Side,
    SoFar,
)
from affiliates.plans.rules.computation import compute_commission
from affiliates.plans.rules.matching import (
    Counted,
    SaleFacts,
    cap_period_start,
    tier_period_start,
)
from affiliates.plans.rules.shares import share_of
from affiliates.plans.rules.terms import CouponTerms, TierBasis
from affiliates.referrals.rules.choices import Outcome
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.types import Decision, Inputs, Policy, Touch
from affiliates.sales.refunded import in_proportion, taken_of


@dataclass(slots=True, kw_only=True)
class Comparison:
    """Two configurations, applied to one order after the other, oldest first.

    A cap and a tier count from the first of these orders on, in the order of their
    conversion. A joining bonus comes with the first of them that earns, unless the
    affiliate was approved a commission of an earlier one.
    """

    draft: Draft
    coupon_of: CouponOf
    zone: tzinfo
    so_far: tuple[SoFar, SoFar]

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
        winner, so_far = decision.winner, self.so_far[place]
        plan = self.draft[place].of(winner)
        amounts: Counter[str] = Counter()
        if winner is not None and plan is not None:
            code = decision.inputs.order.code
            coupon = self.coupon_of(code, winner.affiliate_id, order.converted_at)
            for paid in order.paid:
                currency = paid.gross.currency.code
                by_line = _earned(
                    paid,
                    plan=plan,
                    coupon=coupon,
                    affiliate_id=winner.affiliate_id,
                    ordered_at=order.converted_at,
                    zone=self.zone,
                    so_far=so_far,
                )
                whole = sum(by_line)
                earned = _left(whole, by_line, paid)
                if earned and winner.affiliate_id not in so_far.joined:
                    so_far.joined.add(winner.affiliate_id)
                    earned += plan.terms.joining_bonus.get(currency, 0)
                if self._is_shared(order, winner.affiliate_id, place):
                    earned += _left(share_of(whole, plan.terms), by_line, paid)
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

    def _is_shared(self, order: OrderHistory, affiliate_id: int, place: int) -> bool:
        sharers = self.draft[place].sharers
        sharer = sharers.get(affiliate_id)
        return sharer is not None and bool(sharer != order.client_id)


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
    """Returns the draft's verdict on today's winner if the draft credits another."""
    if winner is None:
        return ""
    chosen = drafted.winner
    if chosen is not None and chosen.affiliate_id == winner.affiliate_id:
        return ""
    for candidate in drafted.candidates:
        touch = candidate.touch
        if (touch.carrier, touch.click_id) == (winner.carrier, winner.click_id):
            return candidate.verdict.label
    return ""


def _earned(
    paid: PaidFacts,
    *,
    plan: PlanInForce,
    coupon: CouponTerms | None,
    affiliate_id: int,
    ordered_at: datetime,
    zone: tzinfo,
    so_far: SoFar,
) -> list[int]:
    """Returns the commission before refunds in minor units, and adds to ``so_far``."""
    currency = paid.gross.currency.code
    start = cap_period_start(plan.terms.cap_period, at=paid.paid_at)
    period = affiliate_id, currency, start
    counted = {
        basis: _count(
            paid, basis=basis, affiliate_id=affiliate_id, zone=zone, so_far=so_far
        )
        for basis in plan.terms.tier_bases
    }
    receipt = compute_commission(
        SaleFacts(
            currency=currency,
            renewal_number=paid.renewal_number,
            position=paid.position,
            ordered_at=ordered_at,
            paid_at=paid.paid_at,
            affiliate_id=affiliate_id,
            coupon=coupon,
            earned_in_period=so_far.earned[period],
            counted=counted,
            lines=paid.lines,
        ),
        terms=plan.terms,
        plan_name=plan.name,
        version_number=plan.number,
    )
    by_line = [line.amount for line in receipt.lines]
    so_far.earned[period] += _left(receipt.amount, by_line, paid)
    return by_line


def _left(amount: int, by_line: Sequence[int], paid: PaidFacts) -> int:
    """Returns the rest of an invoice's commission, or of its share, after refunds."""
    parts = in_proportion(amount, by_line)
    return amount - taken_of(
        amount, parts, invoice=paid.invoice, refunded=paid.refunded
    )


def _count(
    paid: PaidFacts,
    *,
    basis: TierBasis,
    affiliate_id: int,
    zone: tzinfo,
    so_far: SoFar,
) -> Counted:
    """Returns the count before this invoice, then counts the invoice."""
    since = tier_period_start(basis.period, at=paid.paid_at, zone=zone)
    currency = "" if basis.is_by_sales else paid.gross.currency.code
    key = affiliate_id, currency, basis, since
    seen = so_far.counted[key]
    net = max(0, sum(line.net for line in paid.lines))
    so_far.counted[key] += net > 0 if basis.is_by_sales else net
    return Counted(since, seen)
