"""Explains receipts in plain words, from stored values only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from affiliates.core.days import clock
from affiliates.core.language import inside_sentence, number_text
from affiliates.plans.rules.computation import LineOutcome, position_in
from affiliates.plans.rules.matching import months_after
from affiliates.plans.rules.messages import describe_rule, money, rate_text, threshold
from affiliates.plans.rules.rounding import Rounding
from affiliates.plans.rules.shares import SHARE_FORMAT
from affiliates.plans.rules.terms import CapPeriod, RuleTerms
from affiliates.plans.rules.tiers import reached_tier


def explain_receipt(receipt: Mapping[str, Any]) -> tuple[str, ...]:
    """How the line's amount was computed, one sentence each."""
    if receipt["format"] == SHARE_FORMAT:
        return _explain_share(receipt)
    inputs, outcome = receipt["inputs"], LineOutcome(receipt["outcome"])
    currency = inputs["currency"]
    explained = [
        _name_rule(receipt),
        *_explain_position(inputs),
        _explain_base(receipt),
    ]
    if outcome is LineOutcome.EARNED:
        explained += _explain_tier(receipt)
        explained += [_explain_step(step, inputs) for step in receipt["steps"][1:]]
    else:
        explained.append(f"{_explain_outcome(receipt, outcome)}.")
    amount = money(receipt["amount"], currency)
    explained.append(_("Commission: {amount}.").format(amount=amount))
    return tuple(explained)


def _explain_share(receipt: Mapping[str, Any]) -> tuple[str, ...]:
    """Names neither plan nor sale: they are the recruited affiliate's."""
    inputs = receipt["inputs"]
    amount = money(receipt["amount"], inputs["currency"])
    return (
        _("Share of the commission of a recruited affiliate."),
        *(_explain_step(step, inputs) for step in receipt["steps"]),
        _("Commission: {amount}.").format(amount=amount),
    )


def _name_rule(receipt: Mapping[str, Any]) -> str:
    plan = _("Plan {name}, version {version}").format(**receipt["plan"])
    if receipt["rule"] is None:
        return f"{plan}."
    rule = describe_rule(RuleTerms.from_json(receipt["rule"]))
    text = _("{plan}, rule {number}: {rule}.")
    return text.format(plan=plan, number=receipt["rule_number"], rule=rule)


def _explain_position(inputs: Mapping[str, Any]) -> Iterator[str]:
    """The number the invoice counts as, if it is not its renewal number."""
    number, position = inputs["renewal_number"], position_in(inputs)
    if position == number:
        return
    text = _(
        "Renewal {number} counts as renewal {position}: invoices of nothing before it "
        "do not count."
    )
    if position == 0:
        text = _(
            "Renewal {number} counts as the order's first invoice: those before it were "
            "of nothing."
        )
    yield text.format(number=number, position=position)


def _explain_base(receipt: Mapping[str, Any]) -> str:
    step, inputs = receipt["steps"][0], receipt["inputs"]
    currency = inputs["currency"]
    parts = [
        (_(" + {amount} discount"), step["discount"], None),
        (_(" - {amount} paid by account credit"), step["credit"], None),
        *(
            (_(" - {amount} credit of line {line}"), entry["amount"], entry["line"])
            if entry["amount"] > 0
            else (
                _(" + {amount} set off against line {line}"),
                -entry["amount"],
                entry["line"],
            )
            for entry in inputs.get("set_off", ())
        ),
    ]
    said = [
        text.format(amount=money(amount, currency), line=line)
        for text, amount, line in parts
        if amount
    ]
    text = _("Base: {amount} net").format(amount=money(step["net"], currency))
    if said:
        said.append(f" = {money(step['amount'], currency)}")
    return f"{''.join([text, *said])}."


def _explain_tier(receipt: Mapping[str, Any]) -> Iterator[str]:
    """The counted sales and the tier reached, unless a coupon's rate is used."""
    inputs, rule = receipt["inputs"], RuleTerms.from_json(receipt["rule"])
    coupon, counted = inputs["coupon"], inputs.get("tier")
    if counted is None or (coupon is not None and coupon["percent"] is not None):
        return
    seen = threshold(counted["seen"], counted["unit"])
    when = inside_sentence(rule.tier_period)
    tier = reached_tier(rule, inputs)
    if tier is None:
        percent = rate_text(rule.percent)
        rate = _("the rule's {percent} %").format(percent=percent)
    else:
        rate = _("{percent} %, as from {threshold} on").format(
            percent=rate_text(tier.percent),
            threshold=threshold(tier.at_least, tier.unit),
        )
    text = _("{seen} {when} before this sale: {rate}.")
    yield text.format(seen=seen, when=when, rate=rate)


def _explain_outcome(receipt: Mapping[str, Any], outcome: LineOutcome) -> str:
    if outcome is not LineOutcome.OUT_OF_REACH:
        return str(outcome.label)
    inputs, rule = receipt["inputs"], RuleTerms.from_json(receipt["rule"])
    number, position = inputs["renewal_number"], position_in(inputs)
    this = {"outcome": outcome.label, "number": number}
    if position < rule.position_from:
        this["outcome"] = _("The rule's payments have not begun")
        if number == 0:
            return _("{outcome}: this is the first payment").format(**this)
    elif rule.months and (rule.position_to is None or position <= rule.position_to):
        last = months_after(datetime.fromisoformat(inputs["ordered_at"]), rule.months)
        paid = datetime.fromisoformat(inputs["paid_at"])
        return _(
            "{outcome}: this is renewal {number}, paid on {paid}; renewals earned until "
            "{last}"
        ).format(**this, paid=clock(paid), last=clock(last))
    return _("{outcome}: this is renewal {number}").format(**this)


def _explain_step(step: Mapping[str, Any], inputs: Mapping[str, Any]) -> str:
    currency, coupon = inputs["currency"], inputs.get("coupon")
    amount = money(step["amount"], currency)
    words = {"amount": amount}
    if "percent" in step:
        words["percent"] = number_text(step["percent"])
    if "of" in step:
        words["of"] = money(step["of"], currency)
    if coupon is not None:
        words["code"] = coupon["code"]
    match step["step"]:
        case "rate" if "percent" in step:
            text = _("{percent} % of {of} = {amount}.")
            if coupon is not None and coupon["percent"] is not None:
                text = _(
                    "{percent} %, the own rate of coupon {code}, of {of} = {amount}."
                )
        case "rate":
            text = _("{each} for each of {quantity} = {amount}.")
            words["each"] = money(step["each"], currency)
            words["quantity"] = step["quantity"]
        case "funding":
            text = _(
                "Less {percent} % of the discount of {of}, which the affiliate pays for "
                "coupon {code} = {amount}."
            )
        case "round":
            text = _("Rounded {how} = {amount}.")
            words["how"] = inside_sentence(Rounding(step["mode"]))
            if "rule" in step:
                text = _(
                    "Rounded {how}, all lines of the rule together ({rule}) = {amount}."
                )
                words["rule"] = money(step["rule"], currency)
        case _:
            return _explain_cap(step, inputs["cap"], currency)
    return text.format(**words)


def _explain_cap(step: Mapping[str, Any], cap: Mapping[str, Any], currency: str) -> str:
    return _("At most {most} {period}, of which {left} were left = {amount}.").format(
        most=money(cap["amount"], currency),
        period=inside_sentence(CapPeriod(cap["period"])),
        left=money(step["left"], currency),
        amount=money(step["amount"], currency),
    )
