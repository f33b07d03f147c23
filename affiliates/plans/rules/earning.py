"""A line's earnings from its base to its amount, step by step. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from affiliates.plans.rules.rounding import (
    SCALE,
    Rounding,
    exact_text,
    rounded,
    rounded_of,
    scaled,
)
from affiliates.plans.rules.terms import (
    CouponTerms,
    RateKind,
    RuleTerms,
    percent_text,
)
from affiliates.plans.rules.tiers import reached_tier


def earn(
    rule: RuleTerms, inputs: Mapping[str, Any], base: int
) -> tuple[int, list[dict[str, Any]]]:
    """The exact earnings, times SCALE, and the steps from the base to them."""
    steps: list[dict[str, Any]] = []
    percent = percent_of(rule, inputs)
    if percent is None:
        each, quantity = rule.fixed_amounts[inputs["currency"]], inputs["quantity"]
        exact = each * max(quantity, 0) * SCALE
        rate: dict[str, Any] = {"each": each, "quantity": quantity}
    else:
        exact = base * scaled(percent)
        rate = {"percent": percent_text(percent), "of": base}
    steps.append({"step": "rate", **rate, "amount": exact_text(exact)})
    coupon = _coupon_of(inputs)
    if coupon is not None and coupon.affiliate_funds_percent:
        discount = max(inputs["discount"], 0)
        exact = max(0, exact - discount * scaled(coupon.affiliate_funds_percent))
        steps.append(
            {
                "step": "funding",
                "percent": percent_text(coupon.affiliate_funds_percent),
                "of": discount,
                "amount": exact_text(exact),
            }
        )
    return exact, steps


def round_off(
    exact: int, inputs: Mapping[str, Any], rounding: Rounding
) -> list[dict[str, Any]]:
    """The steps from the exact earnings to the amount, rounded once."""
    among, amount, rule = inputs.get("spread"), rounded(exact, rounding), {}
    if among is not None:
        amount = rounded_of(exact, among, rounding)
        rule = {"rule": among["exact"]}
    steps = [{"step": "round", "mode": rounding, **rule, "amount": amount}]
    cap = inputs["cap"]
    if cap is not None:
        left = max(0, cap["amount"] - cap["earned_before"])
        steps.append({"step": "cap", "left": left, "amount": min(amount, left)})
    return steps


def percent_of(rule: RuleTerms, inputs: Mapping[str, Any]) -> Decimal | None:
    """The rate in percent, a coupon's own before the tier's or rule's; None: fixed."""
    coupon = _coupon_of(inputs)
    if coupon is not None and coupon.percent is not None:
        return coupon.percent
    if rule.rate_kind is not RateKind.PERCENT:
        return None
    tier = reached_tier(rule, inputs)
    return rule.percent if tier is None else tier.percent


def _coupon_of(inputs: Mapping[str, Any]) -> CouponTerms | None:
    stored = inputs["coupon"]
    return None if stored is None else CouponTerms.from_json(stored)
