"""Describes plans in plain words, from stored values only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from affiliates.core.days import BillingCycle
from affiliates.core.language import inside_sentence, number_text
from affiliates.core.money import spoken_text
from affiliates.plans.rules.amounts import to_text
from affiliates.plans.rules.terms import (
    SALES,
    CapPeriod,
    CouponTerms,
    PlanTerms,
    RateKind,
    RuleTerms,
    percent_text,
)
from affiliates.plans.rules.tiers import TierProgress


def describe_terms(
    terms: PlanTerms, *, affiliates: Mapping[int, str] | None = None
) -> tuple[str, ...]:
    """The plan, one sentence each. ``affiliates`` has the names for its rules."""
    rules = [describe_rule(rule, affiliates=affiliates) for rule in terms.rules]
    return (
        *(f"{number}. {rule}." for number, rule in enumerate(rules, start=1)),
        *([] if rules else [_("No rules: nothing is earned.")]),
        *describe_conditions(terms),
        *_describe_share(terms),
        _("Rounded {how}.").format(how=inside_sentence(terms.rounding)),
        *([] if terms.allows_paid_ads else [_("Paid advertising is forbidden.")]),
    )


def describe_conditions(terms: PlanTerms) -> tuple[str, ...]:
    """The base of the commission, when it is approved, its cap and its bonus."""
    return (
        *_describe_base(terms),
        _describe_hold(terms),
        *describe_cap(terms),
        *_describe_bonus(terms),
    )


def describe_rule(
    rule: RuleTerms, *, affiliates: Mapping[int, str] | None = None
) -> str:
    """A description such as "10 % of hosting, new orders only"."""
    limits = [
        _("billed {cycle}").format(cycle=_cycle(rule.billing_cycle))
        if rule.billing_cycle
        else "",
        "" if _domains(rule, count=1) else rule.operation,
        _describe_positions(rule),
        _("until {limit} months after the order").format(limit=rule.months)
        if rule.months
        else "",
    ]
    if rule.affiliate_id is not None:
        known = (affiliates or {}).get(rule.affiliate_id, str(rule.affiliate_id))
        limits.append(_("for affiliate {affiliate} only").format(affiliate=known))
    return ", ".join([_describe_rate(rule), *filter(None, limits)])


def describe_coupon(terms: CouponTerms) -> tuple[str, ...]:
    """The effects of using the coupon, one sentence each."""
    rate = _("The plan's rate.")
    if terms.percent is not None:
        text = _("{percent} % instead of the plan's rate.")
        rate = text.format(percent=rate_text(terms.percent))
    if not terms.affiliate_funds_percent:
        return (rate,)
    share = rate_text(terms.affiliate_funds_percent)
    paid = _("The affiliate pays {share} % of the discount.").format(share=share)
    return (rate, paid)


def _describe_rate(rule: RuleTerms) -> str:
    what = _domains(rule, count=2) or _describe_lines(rule)
    if rule.rate_kind is RateKind.NONE:
        return _("Nothing for {what}").format(what=what)
    if rule.rate_kind is RateKind.PERCENT:
        percent = rate_text(rule.percent)
        rate = _("{percent} % of {what}").format(percent=percent, what=what)
        return ", ".join([rate, *_tiers_of(rule)])
    amounts = _either(rule.fixed_amounts)
    if domain := _domains(rule, count=1):
        return _("{amounts} for each {what}").format(amounts=amounts, what=domain)
    return _("{amounts} for each unit of {what}").format(amounts=amounts, what=what)


def _tiers_of(rule: RuleTerms) -> list[str]:
    said = [
        _("{percent} % from {threshold}").format(
            percent=rate_text(tier.percent),
            threshold=threshold(tier.at_least, tier.unit),
        )
        for tier in rule.tiers
    ]
    if said:
        said[-1] += f" {inside_sentence(rule.tier_period)}"
    return said


def threshold(count: int, unit: str) -> str:
    """The start of a tier, or the amount counted towards one."""
    if unit == SALES:
        return ngettext("{count} sale", "{count} sales", count).format(count=count)
    return _("{amount} of revenue").format(amount=money(count, unit))


def describe_progress(rule: RuleTerms, progress: TierProgress) -> tuple[str, ...]:
    """The rate of now, and what is missing to the next one."""
    unit = progress.unit
    now = _("{percent} % of {what}: {seen} {when} so far.").format(
        percent=rate_text(progress.percent),
        what=_domains(rule, count=2) or _describe_lines(rule),
        seen=threshold(progress.counted, unit),
        when=inside_sentence(rule.tier_period),
    )
    if progress.next_percent is None:
        return (now, _("This is the highest rate."))
    ahead = _("{missing} to go to {percent} %.").format(
        missing=threshold(progress.missing, unit),
        percent=rate_text(progress.next_percent),
    )
    return (now, ahead)


def _domains(rule: RuleTerms, *, count: int) -> str:
    """The lines of a rule for one TLD, as one domain or many; else empty."""
    if not rule.tld or rule.product_ref:
        return ""
    match rule.operation:
        case "":
            text = ngettext(".{tld} domain", ".{tld} domains", count)
        case "register":
            text = ngettext(
                "registered .{tld} domain", "registered .{tld} domains", count
            )
        case "renew":
            text = ngettext("renewed .{tld} domain", "renewed .{tld} domains", count)
        case "transfer":
            text = ngettext(
                "transferred .{tld} domain", "transferred .{tld} domains", count
            )
        case _:
            return ""
    return text.format(tld=rule.tld)


def _describe_lines(rule: RuleTerms) -> str:
    kinds = {"domain": _("domains"), "hosting": _("hosting")}
    kind = kinds.get(rule.kind, rule.kind)
    product = _("product {product}").format(product=rule.product_ref)
    words = [
        product if rule.product_ref else "",
        kind or (_("domains") if rule.tld else ""),
        f".{rule.tld}" if rule.tld else "",
    ]
    return " ".join(filter(None, words)) or _("everything")


def _describe_positions(rule: RuleTerms) -> str:
    """Counts payments from 1, as readers do."""
    first, last = rule.position_from, rule.position_to
    match first, last:
        case 0, None:
            return ""
        case 0, 0:
            return _("new orders only")
        case 1, None:
            return _("renewals only")
        case _, None:
            text = _("from payment {first} on")
        case 0, _:
            text = ngettext(
                "the first payment and {count} renewal",
                "the first payment and {count} renewals",
                last or 0,
            )
        case _ if first == last:
            text = _("payment {first} only")
        case _:
            text = _("payments {first} to {last}")
    return text.format(first=first + 1, last=(last or 0) + 1, count=last)


def _describe_base(terms: PlanTerms) -> Iterator[str]:
    if terms.counts_discount:
        yield _("Earned on the price before discounts.")
    if terms.counts_credit:
        yield _("Earned on what account credit pays, too.")


def _describe_hold(terms: PlanTerms) -> str:
    by_itself = _("Approved {after}{others}.")
    by_staff = _("Reviewed by staff {after}{others}.")
    cycles = "; ".join(
        _("billed {cycle}: {after}").format(cycle=_cycle(cycle), after=_after(days))
        for cycle, days in terms.hold_days_by_cycle.items()
    )
    text = by_itself if terms.approves_itself else by_staff
    held = text.format(
        after=_after(terms.hold_days), others=f" ({cycles})" if cycles else ""
    )
    if not terms.needs_active_service:
        return held
    condition = _("Only while the service is active.")
    return f"{held} {condition}"


def _after(days: int) -> str:
    if not days:
        return _("at once")
    text = ngettext("after {count} day", "after {count} days", days)
    return text.format(count=days)


def _cycle(cycle: str) -> str:
    return inside_sentence(BillingCycle(cycle))


def describe_cap(terms: PlanTerms) -> Iterator[str]:
    if terms.cap_period is CapPeriod.NONE:
        return
    most = _either(terms.cap_amounts)
    text = _("At most {most} for an affiliate {period}.")
    yield text.format(most=most, period=inside_sentence(terms.cap_period))


def _describe_bonus(terms: PlanTerms) -> Iterator[str]:
    if terms.joining_bonus:
        bonus = _either(terms.joining_bonus)
        text = _(
            "A joining bonus of {bonus} with the first commission that is approved."
        )
        yield text.format(bonus=bonus)


def _describe_share(terms: PlanTerms) -> Iterator[str]:
    if terms.recruiter_percent:
        text = _("The affiliate's recruiter gets {percent} % of its commissions.")
        yield text.format(percent=rate_text(terms.recruiter_percent))


def _either(amounts: Mapping[str, int]) -> str:
    texts = [money(amount, code) for code, amount in sorted(amounts.items())]
    return _(" or ").join(texts)


def money(amount: int | str, currency: str) -> str:
    """Minor units as text in the reader's language, such as €12.50."""
    return spoken_text(to_text(amount, currency), currency)


def rate_text(percent: Decimal) -> str:
    """Such as 12.5, in the reader's language."""
    return number_text(percent_text(percent))
