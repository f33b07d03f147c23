"""Computes a sale's earnings by line, each with a receipt that can recompute it.

A receipt is stored permanently: its values are never read from anywhere else, and this
module's result for a receipt of a known format never changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from affiliates.plans.rules.bases import base_inputs, base_step
from affiliates.plans.rules.earning import earn, percent_of, round_off
from affiliates.plans.rules.matching import (
    LineFacts,
    SaleFacts,
    choose_rule,
    normal_word,
    reaches,
)
from affiliates.plans.rules.rounding import SCALE, Rounding, spread
from affiliates.plans.rules.shares import SHARE_FORMAT, computed_share
from affiliates.plans.rules.terms import (
    SALES,
    PlanTerms,
    RateKind,
    RuleTerms,
)

# Format 2 had rules with tiers; shares.py has format 3. Since format 4, used for every
# sale, credits are set off against other lines. Since format 5, so used too, the lines of
# a rule are rounded together.
FORMATS = (1, 2, 4, 5)


class LineOutcome(TextChoices):
    EARNED = "earned", _("Earned")
    NO_RULE = "no_rule", _("No rule of the plan fits this line")
    EXCLUDED = "excluded", _("The rule says that this line earns nothing")
    OUT_OF_REACH = "out_of_reach", _("The rule's payments are over")
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
    """A sale's earnings: its lines' sum, and the longest hold of those that earn.

    ``billing_cycles`` are those of the lines that earn.
    """

    lines: tuple[LineReceipt, ...]
    amount: int
    hold_days: int
    billing_cycles: tuple[str, ...]


def compute_commission(
    sale: SaleFacts, *, terms: PlanTerms, plan_name: str, version_number: int
) -> CommissionReceipt:
    bases = base_inputs(sale.lines, terms)
    receipts = [
        _receipt_of(line, sale=sale, terms=terms, base=base)
        for line, base in zip(sale.lines, bases, strict=True)
    ]
    for receipt, among in zip(receipts, _spread(receipts), strict=True):
        receipt["inputs"] |= among
    lines: list[LineReceipt] = []
    earned = sale.earned_in_period
    for line, receipt in zip(sale.lines, receipts, strict=True):
        if receipt["inputs"]["cap"] is not None:
            receipt["inputs"]["cap"]["earned_before"] = earned
        receipt |= _computed(receipt)
        receipt["plan"] = {"name": plan_name, "version": version_number}
        earned += receipt["amount"]
        lines.append(
            LineReceipt(
                position=line.position, amount=receipt["amount"], receipt=receipt
            )
        )
    cycles = {
        normal_word(line.billing_cycle)
        for line, made in zip(sale.lines, lines, strict=True)
        if made.amount
    }
    return CommissionReceipt(
        lines=tuple(lines),
        amount=sum(line.amount for line in lines),
        hold_days=max(map(terms.hold_days_of, cycles), default=0),
        billing_cycles=tuple(sorted(cycles)),
    )


def recompute_line(receipt: Mapping[str, Any]) -> int:
    """The line's earnings, computed from its receipt alone."""
    amount: int = _computed(receipt)["amount"]
    return amount


def is_sound(receipt: Mapping[str, Any]) -> bool:
    """Whether the receipt's outcome, steps and amount follow from its inputs."""
    computed = _computed(receipt)
    return all(receipt[name] == value for name, value in computed.items())


def spread_follows(receipts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all receipts of a sale agree on how the lines of a rule are rounded."""
    if any(receipt["format"] != FORMATS[-1] for receipt in receipts):
        return True
    stored = ("spread" in receipt["inputs"] for receipt in receipts)
    parts = (
        {"spread": receipt["inputs"]["spread"]} if is_spread else {}
        for receipt, is_spread in zip(receipts, stored, strict=True)
    )
    return list(parts) == _spread(receipts)


def _spread(receipts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The input of each line whose rule earns fractions on several lines; else empty."""
    exacts: dict[int, dict[int, int]] = {}
    for place, receipt in enumerate(receipts):
        exact = _exact(receipt)
        if exact is not None:
            exacts.setdefault(receipt["rule_number"], {})[place] = exact
    inputs: list[dict[str, Any]] = [{} for _ in receipts]
    for of_rule in exacts.values():
        of_lines = spread([*of_rule.values()])
        if len(of_rule) > 1 and any(exact % SCALE for exact in of_rule.values()):
            for place, among in zip(of_rule, of_lines, strict=True):
                inputs[place]["spread"] = among
    return inputs


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
) -> dict[str, Any]:
    """The line's receipt before it is computed."""
    place = choose_rule(terms.rules, line, sale=sale)
    rule = None if place is None else terms.rules[place]
    cap = terms.cap_in(sale.currency)
    return {
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
                "earned_before": sale.earned_in_period,
            },
            **_counted(rule, sale),
        },
        "rounding": terms.rounding,
    }


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
    rule, inputs = _rule_of(receipt), receipt["inputs"]
    base = base_step(inputs)
    outcome = _outcome(rule, inputs, base=base["amount"])
    if rule is None or outcome is not LineOutcome.EARNED:
        return {"outcome": outcome, "steps": [base], "amount": 0}
    exact, steps = earn(rule, inputs, base["amount"])
    rest = round_off(exact, inputs, Rounding(receipt["rounding"]))
    steps = [base, *steps, *rest]
    return {"outcome": outcome, "steps": steps, "amount": steps[-1]["amount"]}


def _rule_of(receipt: Mapping[str, Any]) -> RuleTerms | None:
    return None if receipt["rule"] is None else RuleTerms.from_json(receipt["rule"])


def _exact(receipt: Mapping[str, Any]) -> int | None:
    """The line's earnings before rounding, times SCALE; None if its rule earns nothing."""
    rule, inputs = _rule_of(receipt), receipt["inputs"]
    base = base_step(inputs)["amount"]
    if rule is None or _outcome(rule, inputs, base=base) is not LineOutcome.EARNED:
        return None
    return earn(rule, inputs, base)[0]


def _outcome(
    rule: RuleTerms | None, inputs: Mapping[str, Any], *, base: int
) -> LineOutcome:
    if rule is None:
        return LineOutcome.NO_RULE
    if not reaches(
        rule,
        position=position_in(inputs),
        ordered_at=datetime.fromisoformat(inputs["ordered_at"]),
        paid_at=datetime.fromisoformat(inputs["paid_at"]),
    ):
        return LineOutcome.OUT_OF_REACH
    if rule.rate_kind is RateKind.NONE:
        return LineOutcome.EXCLUDED
    if base <= 0:
        return LineOutcome.NO_BASE
    if percent_of(rule, inputs) is None and (
        inputs["currency"] not in rule.fixed_amounts
    ):
        return LineOutcome.NO_FIXED_AMOUNT
    return LineOutcome.EARNED
