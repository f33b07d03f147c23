"""Computes a sale's earnings by line, each with a receipt that can recompute it.

A receipt is stored permanently: its values are never read from anywhere else, and this
module's result for a receipt of a known format never changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from affiliates.plans.rules.bases import base_inputs, base_step
from affiliates.plans.rules.matching import (
    LineFacts,
    SaleFacts,
    choose_rule,
    normal_word,
    still_earns,
)
from affiliates.plans.rules.rounding import SCALE, Rounding, exact_text, rounded, scaled
from affiliates.plans.rules.shares import SHARE_FORMAT, computed_share
from affiliates.plans.rules.terms import (
    SALES,
    CouponTerms,
    PlanTerms,
    RateKind,
    RuleTerms,
    percent_text,
)
from affiliates.plans.rules.tiers import reached_tier

# Format 2 had rules with tiers; shares.py has format 3. Since format 4, used for every
# sale, credits are set off against other lines.
FORMATS = (1, 2, 4)


class LineOutcome(TextChoices):
    EARNED = "earned", _("Earned")
    NO_RULE = "no_rule", _("No rule of the plan fits this line")
    EXCLUDED = "excluded", _("The rule says that this line earns nothing")
    RECURRENCE_OVER = "recurrence_over", _("The rule earns on no such late renewal")
    NO_BASE = "no_base", _("The base is not above zero")
    NO_FIXED_AMOUNT = "no_fixed_amount", _("The rule has no amount in this currency")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineReceipt:
    """The earnings of a line, in minor units. ``receipt`` is to be stored as it is."""

    position: int
    amount: int
    receipt: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommissionReceipt:
    """A sale's earnings: its lines' sum, and the longest hold of those that earn."""

    lines: tuple[LineReceipt, ...]
    amount: int
    hold_days: int


def compute_commission(
    sale: SaleFacts, *, terms: PlanTerms, plan_name: str, version_number: int
) -> CommissionReceipt:
    lines: list[LineReceipt] = []
    earned = sale.earned_in_period
    for line, base in zip(sale.lines, base_inputs(sale.lines, terms), strict=True):
        receipt = _receipt_of(
            line, sale=sale, terms=terms, base=base, earned_before=earned
        )
        receipt["plan"] = {"name": plan_name, "version": version_number}
        amount = receipt["amount"]
        earned += amount
        lines.append(
            LineReceipt(position=line.position, amount=amount, receipt=receipt)
        )
    holds = [
        terms.hold_days_of(normal_word(line.billing_cycle))
        for line, made in zip(sale.lines, lines, strict=True)
        if made.amount
    ]
    return CommissionReceipt(
        lines=tuple(lines),
        amount=sum(line.amount for line in lines),
        hold_days=max(holds, default=0),
    )


def recompute_line(receipt: Mapping[str, Any]) -> int:
    """The line's earnings, computed from its receipt alone."""
    amount: int = _computed(receipt)["amount"]
    return amount


def is_sound(receipt: Mapping[str, Any]) -> bool:
    """Whether the receipt's outcome, steps and amount follow from its inputs."""
    computed = _computed(receipt)
    return all(receipt[name] == value for name, value in computed.items())


def without_description(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the receipt for an erased client. No amount depends on the description."""
    line = receipt.get("line", {})
    return {**receipt, "line": {**line, "description": ""}}


def _receipt_of(
    line: LineFacts,
    *,
    sale: SaleFacts,
    terms: PlanTerms,
    base: Mapping[str, Any],
    earned_before: int,
) -> dict[str, Any]:
    place = choose_rule(
        terms.rules, line, affiliate_id=sale.affiliate_id, position=sale.position
    )
    rule = None if place is None else terms.rules[place]
    cap = terms.cap_in(sale.currency)
    receipt: dict[str, Any] = {
        "format": FORMATS[-1],
        "rule_number": None if place is None else place + 1,
        "rule": None if rule is None else rule.to_json(),
        "line": {
            "position": line.position,
            "description": line.description,
            "product_ref": line.product_ref,
            "kind": line.kind,
            "tld": line.tld,
            "operation": line.operation,
            "billing_cycle": line.billing_cycle,
        },
        "inputs": {
            "currency": sale.currency,
            "renewal_number": sale.renewal_number,
            "position": sale.position,
            "ordered_at": sale.ordered_at.isoformat(),
            "paid_at": sale.paid_at.isoformat(),
            "affiliate_id": sale.affiliate_id,
            "quantity": line.quantity,
            **base,
            "coupon": None if sale.coupon is None else sale.coupon.to_json(),
            "cap": None
            if cap is None
            else {
                "period": terms.cap_period,
                "amount": cap,
                "earned_before": earned_before,
            },
            **_counted(rule, sale),
        },
        "rounding": terms.rounding,
    }
    return receipt | _computed_by(rule, receipt)


def _counted(rule: RuleTerms | None, sale: SaleFacts) -> dict[str, Any]:
    """The input of a rule with tiers; empty for other rules."""
    basis = None if rule is None else rule.tier_basis
    if basis is None:
        return {}
    since, seen = sale.counted[basis]
    return {
        "tier": {
            "unit": SALES if basis.is_by_sales else sale.currency,
            "since": since.isoformat(),
            "seen": seen,
        }
    }


def position_in(inputs: Mapping[str, Any]) -> int:
    """The number the sale counts as; before format 4, its renewal number."""
    position: int = inputs.get("position", inputs["renewal_number"])
    return position


def _computed(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a receipt that follows from the rest of it."""
    if receipt["format"] == SHARE_FORMAT:
        return computed_share(receipt)
    if receipt["format"] not in FORMATS:
        raise ValueError(f"No receipt of format {receipt['format']} is known.")
    rule = None if receipt["rule"] is None else RuleTerms.from_json(receipt["rule"])
    return _computed_by(rule, receipt)


def _computed_by(rule: RuleTerms | None, receipt: Mapping[str, Any]) -> dict[str, Any]:
    inputs = receipt["inputs"]
    base = base_step(inputs)
    outcome = _outcome(rule, inputs, base=base["amount"])
    if rule is None or outcome is not LineOutcome.EARNED:
        return {"outcome": outcome, "steps": [base], "amount": 0}
    steps = [base, *_earn(rule, inputs, base["amount"], Rounding(receipt["rounding"]))]
    return {"outcome": outcome, "steps": steps, "amount": steps[-1]["amount"]}


def _outcome(
    rule: RuleTerms | None, inputs: Mapping[str, Any], *, base: int
) -> LineOutcome:
    if rule is None:
        return LineOutcome.NO_RULE
    if rule.rate_kind is RateKind.NONE:
        return LineOutcome.EXCLUDED
    if not still_earns(
        rule,
        position=position_in(inputs),
        ordered_at=datetime.fromisoformat(inputs["ordered_at"]),
        paid_at=datetime.fromisoformat(inputs["paid_at"]),
    ):
        return LineOutcome.RECURRENCE_OVER
    if base <= 0:
        return LineOutcome.NO_BASE
    if _percent_of(rule, inputs) is None and (
        inputs["currency"] not in rule.fixed_amounts
    ):
        return LineOutcome.NO_FIXED_AMOUNT
    return LineOutcome.EARNED


def _earn(
    rule: RuleTerms, inputs: Mapping[str, Any], base: int, rounding: Rounding
) -> list[dict[str, Any]]:
    """The steps from the base to the amount, rounded once."""
    steps: list[dict[str, Any]] = []
    percent = _percent_of(rule, inputs)
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
    amount = rounded(exact, rounding)
    steps.append({"step": "round", "mode": rounding, "amount": amount})
    cap = inputs["cap"]
    if cap is not None:
        left = max(0, cap["amount"] - cap["earned_before"])
        steps.append({"step": "cap", "left": left, "amount": min(amount, left)})
    return steps


def _percent_of(rule: RuleTerms, inputs: Mapping[str, Any]) -> Decimal | None:
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
