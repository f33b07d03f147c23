"""Plans and receipts in plain words, from what is stored and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from affiliates.core.days import clock
from affiliates.core.enums import lower_first
from affiliates.plans.rules.amounts import to_text
from affiliates.plans.rules.matching import months_after
from affiliates.plans.rules.receipts import LineOutcome, reached_tier
from affiliates.plans.rules.terms import (
    SALES,
    AppliesTo,
    BillingCycle,
    CapPeriod,
    CouponTerms,
    PlanTerms,
    RateKind,
    Recurrence,
    Rounding,
    RuleTerms,
    percent_text,
)

CAP_WORDS = {
    CapPeriod.MONTH: "in a calendar month",
    CapPeriod.YEAR: "in a calendar year",
    CapPeriod.LIFETIME: "in all",
}


def describe_terms(
    terms: PlanTerms, *, affiliates: Mapping[int, str] | None = None
) -> tuple[str, ...]:
    """The plan, one sentence each. ``affiliates`` gives those of its rules their names."""
    rules = [describe_rule(rule, affiliates=affiliates) for rule in terms.rules]
    return (
        *(f"{number}. {rule}." for number, rule in enumerate(rules, start=1)),
        *([] if rules else ["No rules: nothing is earned."]),
        *_describe_base(terms),
        _describe_hold(terms),
        *_describe_cap(terms),
        *_describe_bonus(terms),
        f"Rounded {lower_first(terms.rounding.label)}.",
        *([] if terms.allows_paid_ads else ["Paid advertising is forbidden."]),
    )


def describe_rule(
    rule: RuleTerms, *, affiliates: Mapping[int, str] | None = None
) -> str:
    """Such as "10 % of hosting, new orders only"."""
    limits = [
        f"billed {lower_first(BillingCycle(rule.billing_cycle).label)}"
        if rule.billing_cycle
        else "",
        rule.operation,
        "" if rule.applies_to is AppliesTo.ALL else lower_first(rule.applies_to.label),
        _describe_recurrence(rule),
    ]
    if rule.affiliate_id is not None:
        known = (affiliates or {}).get(rule.affiliate_id, str(rule.affiliate_id))
        limits.append(f"for affiliate {known} only")
    return ", ".join([_describe_rate(rule), *filter(None, limits)])


def describe_coupon(terms: CouponTerms) -> tuple[str, ...]:
    """What using the coupon changes, one sentence each."""
    stored = terms.to_json()
    rate = "The plan's rate."
    if terms.percent is not None:
        rate = f"{stored['percent']} % instead of the plan's rate."
    if not terms.affiliate_funds_percent:
        return (rate,)
    share = stored["affiliate_funds_percent"]
    return (rate, f"The affiliate pays {share} % of the discount.")


def explain_receipt(receipt: Mapping[str, Any]) -> tuple[str, ...]:
    """How the line's amount came about, one sentence each."""
    inputs, outcome = receipt["inputs"], LineOutcome(receipt["outcome"])
    currency = inputs["currency"]
    explained = [_name_rule(receipt), _explain_base(receipt["steps"][0], currency)]
    if outcome is LineOutcome.EARNED:
        explained += _explain_tier(receipt)
        explained += [_explain_step(step, inputs) for step in receipt["steps"][1:]]
    else:
        explained.append(f"{_explain_outcome(receipt, outcome)}.")
    explained.append(f"Commission: {_money(receipt['amount'], currency)}.")
    return tuple(explained)


def _describe_rate(rule: RuleTerms) -> str:
    what = _describe_lines(rule)
    if rule.rate_kind is RateKind.NONE:
        return f"Nothing for {what}"
    if rule.rate_kind is RateKind.PERCENT:
        return ", ".join(
            [f"{percent_text(rule.percent)} % of {what}", *_tiers_of(rule)]
        )
    return f"{_either(rule.fixed_amounts)} for each unit of {what}"


def _tiers_of(rule: RuleTerms) -> list[str]:
    said = [
        f"{percent_text(one.percent)} % from {_threshold(one.at_least, one.unit)}"
        for one in rule.tiers
    ]
    if said:
        said[-1] += f" {lower_first(rule.tier_period.label)}"
    return said


def _threshold(number: int, unit: str) -> str:
    return f"{number} sales" if unit == SALES else f"{_money(number, unit)} of revenue"


def _describe_lines(rule: RuleTerms) -> str:
    kind = "domains" if rule.kind == "domain" else rule.kind
    words = [
        f"product {rule.product_ref}" if rule.product_ref else "",
        kind or ("domains" if rule.tld else ""),
        f".{rule.tld}" if rule.tld else "",
    ]
    return " ".join(filter(None, words)) or "everything"


def _describe_recurrence(rule: RuleTerms) -> str:
    if rule.applies_to is AppliesTo.NEW:
        return ""
    match rule.recurrence:
        case Recurrence.ONCE:
            return "not on renewals"
        case Recurrence.RENEWALS:
            return f"up to renewal {rule.recurrence_limit}"
        case Recurrence.MONTHS:
            return f"until {rule.recurrence_limit} months after the order"
        case Recurrence.ALWAYS:
            return ""


def _describe_base(terms: PlanTerms) -> Iterator[str]:
    if terms.counts_discount:
        yield "Earned on the price before discounts."
    if terms.counts_credit:
        yield "Earned on what account credit pays, too."


def _describe_hold(terms: PlanTerms) -> str:
    cycles = [
        f"{days} where billed {lower_first(BillingCycle(cycle).label)}"
        for cycle, days in terms.hold_days_by_cycle.items()
    ]
    held = ", ".join([f"Held for {terms.hold_days} days", *cycles])
    then = "approved by itself" if terms.approves_itself else "approved by staff"
    ended = ", while the service is active" if terms.needs_active_service else ""
    return f"{held}; then {then}{ended}."


def _describe_cap(terms: PlanTerms) -> Iterator[str]:
    if terms.cap_period is CapPeriod.NONE:
        return
    most = _either(terms.cap_amounts)
    yield f"At most {most} for an affiliate {CAP_WORDS[terms.cap_period]}."


def _describe_bonus(terms: PlanTerms) -> Iterator[str]:
    if terms.joining_bonus:
        bonus = _either(terms.joining_bonus)
        yield f"A joining bonus of {bonus} with the first commission that is approved."


def _name_rule(receipt: Mapping[str, Any]) -> str:
    plan = f"Plan {receipt['plan']['name']}, version {receipt['plan']['version']}"
    if receipt["rule"] is None:
        return f"{plan}."
    rule = describe_rule(RuleTerms.from_json(receipt["rule"]))
    return f"{plan}, rule {receipt['rule_number']}: {rule}."


def _explain_base(step: Mapping[str, Any], currency: str) -> str:
    text = f"Base: {_money(step['net'], currency)} net"
    if step["discount"]:
        text += f" + {_money(step['discount'], currency)} discount"
    if step["credit"]:
        text += f" - {_money(step['credit'], currency)} paid by account credit"
    if step["discount"] or step["credit"]:
        text += f" = {_money(step['amount'], currency)}"
    return f"{text}."


def _explain_tier(receipt: Mapping[str, Any]) -> Iterator[str]:
    """What was counted and which tier that reaches, unless a coupon's rate is used."""
    inputs, rule = receipt["inputs"], RuleTerms.from_json(receipt["rule"])
    coupon, counted = inputs["coupon"], inputs.get("tier")
    if counted is None or (coupon is not None and coupon["percent"] is not None):
        return
    seen = _threshold(counted["seen"], counted["unit"])
    when = lower_first(rule.tier_period.label)
    tier = reached_tier(rule, inputs)
    rate = f"the rule's {percent_text(rule.percent)} %"
    if tier is not None:
        from_on = _threshold(tier.at_least, tier.unit)
        rate = f"{percent_text(tier.percent)} %, as from {from_on} on"
    yield f"{seen} {when} before this sale: {rate}."


def _explain_outcome(receipt: Mapping[str, Any], outcome: LineOutcome) -> str:
    if outcome is not LineOutcome.RECURRENCE_OVER:
        return outcome.label
    inputs, rule = receipt["inputs"], RuleTerms.from_json(receipt["rule"])
    this = f"this is renewal {inputs['renewal_number']}"
    if rule.recurrence is not Recurrence.MONTHS or rule.recurrence_limit is None:
        return f"{outcome.label}: {this}"
    ordered_at = datetime.fromisoformat(inputs["ordered_at"])
    last = months_after(ordered_at, rule.recurrence_limit)
    paid = datetime.fromisoformat(inputs["paid_at"])
    return (
        f"{outcome.label}: {this}, paid on {clock(paid)}; renewals earned until "
        f"{clock(last)}"
    )


def _explain_step(step: Mapping[str, Any], inputs: Mapping[str, Any]) -> str:
    currency, coupon = inputs["currency"], inputs["coupon"]
    amount = _money(step["amount"], currency)
    match step["step"]:
        case "rate" if "percent" in step:
            is_own = coupon is not None and coupon["percent"] is not None
            whose = f", the own rate of coupon {coupon['code']}," if is_own else ""
            return f"{step['percent']} %{whose} of {_money(step['of'], currency)} = {amount}."
        case "rate":
            each = _money(step["each"], currency)
            return f"{each} for each of {step['quantity']} = {amount}."
        case "funding":
            return (
                f"Less {step['percent']} % of the discount of "
                f"{_money(step['of'], currency)}, which the affiliate pays for coupon "
                f"{coupon['code']} = {amount}."
            )
        case "round":
            return f"Rounded {lower_first(Rounding(step['mode']).label)} = {amount}."
        case _:
            return _explain_cap(step, inputs["cap"], currency)


def _explain_cap(step: Mapping[str, Any], cap: Mapping[str, Any], currency: str) -> str:
    period = CAP_WORDS[CapPeriod(cap["period"])]
    return (
        f"At most {_money(cap['amount'], currency)} {period}, of which "
        f"{_money(step['left'], currency)} were left = {_money(step['amount'], currency)}."
    )


def _either(amounts: Mapping[str, int]) -> str:
    return " or ".join(_money(one, code) for code, one in sorted(amounts.items()))


def _money(amount: int | str, currency: str) -> str:
    return f"{to_text(amount, currency)} {currency}"
