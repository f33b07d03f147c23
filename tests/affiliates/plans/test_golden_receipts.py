"""Receipts of random sales add up; those kept from before stay the same."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from affiliates.core.days import BillingCycle
from affiliates.plans.rules.bases import set_off_follows
from affiliates.plans.rules.computation import (
    FORMATS,
    CommissionReceipt,
    compute_commission,
    is_sound,
    recompute_line,
    spread_follows,
)
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.plans.rules.matching import Counted, LineFacts, SaleFacts
from affiliates.plans.rules.rounding import Rounding
from affiliates.plans.rules.shares import SHARE_FORMAT
from affiliates.plans.rules.terms import (
    SALES,
    CapPeriod,
    CouponTerms,
    PlanTerms,
    RateKind,
    RuleTerms,
    TierBasis,
    TierPeriod,
    TierTerms,
)
from tests.cases import each
from tests.factories.credits import bases_after_credits
from tests.lengths import times

RUNS = times(1_000, long=10_000)
KEPT = json.loads(Path(__file__).with_name("golden_receipts.json").read_text("utf-8"))
CURRENCIES = ("EUR", "USD", "JPY", "KWD")
KINDS = ("hosting", "domain", "addon", "setup", "upgrade")
TLDS = ("", "com", "net", "co.uk")
OPERATIONS = ("", "register", "transfer", "renew")
PRODUCTS = ("", "product-1", "product-2")
CYCLES = tuple(BillingCycle)
ROUNDINGS = {
    Rounding.HALF_UP: ROUND_HALF_UP,
    Rounding.HALF_EVEN: ROUND_HALF_EVEN,
    Rounding.DOWN: ROUND_DOWN,
}
EXACT = Context(prec=80)
EDGES = (-(10**15), -1, 0, 1, 2, 3, 5, 10**15 - 1, 10**15)
START = datetime(2024, 1, 31, 12, tzinfo=UTC)


def amount(random: Random) -> int:
    if random.random() < 0.2:
        return random.choice(EDGES)
    return random.randint(-100, 10 ** random.randint(1, 9))


def percent(random: Random) -> Decimal:
    edges = (Decimal(0), Decimal("0.001"), Decimal("99.999"), Decimal(100))
    if random.random() < 0.2:
        return random.choice(edges)
    return Decimal(random.randint(0, 100_000)) / 1000


def amounts(random: Random) -> dict[str, int]:
    chosen = random.sample(CURRENCIES, random.randint(1, len(CURRENCIES)))
    return {code: random.randint(1, 10 ** random.randint(1, 9)) for code in chosen}


def condition(random: Random, words: tuple[str, ...]) -> str:
    return random.choice(words) if random.random() < 0.25 else ""


def tiers(random: Random, kind: RateKind) -> tuple[TierTerms, ...]:
    if kind is not RateKind.PERCENT or random.random() < 0.5:
        return ()
    units = random.choice(((SALES,), CURRENCIES))
    return tuple(
        TierTerms(unit=unit, at_least=start, percent=percent(random))
        for unit in units
        for start in random.sample(range(1, 100), random.randint(1, 4))
    )


def rule(random: Random) -> RuleTerms:
    first = random.choice((0, 0, 0, 1, 2))
    kind = random.choice(
        (RateKind.PERCENT, RateKind.PERCENT, RateKind.FIXED, RateKind.NONE)
    )
    chosen = tiers(random, kind)
    return RuleTerms(
        affiliate_id=random.choice((None, None, None, 1, 2)),
        product_ref=condition(random, PRODUCTS),
        kind=condition(random, KINDS),
        tld=condition(random, TLDS),
        operation=condition(random, OPERATIONS),
        billing_cycle=condition(random, CYCLES),
        position_from=first,
        position_to=random.choice((None, None, first, first + random.randint(1, 24))),
        months=random.choice((None, None, None, random.randint(1, 24))),
        rate_kind=kind,
        tiers=chosen,
        tier_period=random.choice(list(TierPeriod)) if chosen else TierPeriod.MONTH,
        percent=percent(random),
        fixed_amounts=amounts(random),
    )


def plan(random: Random) -> PlanTerms:
    # Half of the plans pay for everything, lest most lines find no rule.
    default = [RuleTerms(percent=percent(random))] if random.random() < 0.5 else []
    return PlanTerms(
        rules=(*(rule(random) for _ in range(random.randint(0, 8))), *default),
        hold_days=random.randint(0, 400),
        hold_days_by_cycle={random.choice(CYCLES): random.randint(0, 400)},
        counts_discount=random.random() < 0.5,
        counts_credit=random.random() < 0.5,
        rounding=random.choice(list(Rounding)),
        cap_period=random.choice(list(CapPeriod)),
        cap_amounts=amounts(random),
    )


def line(random: Random, position: int) -> LineFacts:
    return LineFacts(
        position=position,
        description=f"Line {position}",
        product_ref=random.choice(PRODUCTS),
        kind=random.choice(KINDS),
        tld=random.choice(TLDS),
        operation=random.choice(OPERATIONS),
        billing_cycle=random.choice(CYCLES),
        quantity=random.randint(0, 1000),
        net=amount(random),
        discount=amount(random) if random.random() < 0.4 else 0,
        credit=amount(random) if random.random() < 0.2 else 0,
    )


def coupon(random: Random) -> CouponTerms | None:
    if random.random() < 0.6:
        return None
    return CouponTerms(
        code="SPRING",
        percent=random.choice((None, percent(random))),
        affiliate_funds_percent=random.choice((Decimal(0), percent(random))),
    )


def sale(random: Random) -> SaleFacts:
    renewal_number = random.choice((0, 0, 1, 2, 12, 999))
    ordered_at = START + timedelta(minutes=random.randint(0, 10**6))
    lines = range(1, random.randint(1, 20) + 1)
    return SaleFacts(
        currency=random.choice(CURRENCIES),
        renewal_number=renewal_number,
        position=random.randint(max(0, renewal_number - 2), renewal_number),
        ordered_at=ordered_at,
        paid_at=ordered_at + timedelta(days=random.randint(0, 800)),
        affiliate_id=1,
        coupon=coupon(random),
        earned_in_period=random.choice((0, amount(random))),
        counted={
            TierBasis(period, is_by_sales): Counted(START, random.randint(0, 120))
            for period in TierPeriod
            for is_by_sales in (True, False)
        },
        lines=tuple(line(random, position) for position in lines),
    )


def compute(facts: SaleFacts, terms: PlanTerms) -> CommissionReceipt:
    return compute_commission(
        facts, terms=terms, plan_name="Random plan", version_number=7
    )


def in_another_way(receipt: dict[str, Any], of: LineFacts, base: int) -> Decimal:
    """What a line that earns is due, in decimals of the currency's minor unit."""
    inputs = receipt["inputs"]
    rule, used = RuleTerms.from_json(receipt["rule"]), inputs["coupon"]
    rate = rule.percent if rule.rate_kind is RateKind.PERCENT else None
    for tier in sorted(rule.tiers, key=lambda one: one.at_least):
        unit, seen = inputs["tier"]["unit"], inputs["tier"]["seen"]
        if tier.unit == unit and seen >= tier.at_least:
            rate = tier.percent
    if used and used["percent"] is not None:
        rate = Decimal(used["percent"])
    if rate is None:
        due = Decimal(rule.fixed_amounts[inputs["currency"]] * of.quantity)
    else:
        due = EXACT.multiply(Decimal(base), rate / 100)
    if used:
        share = Decimal(used["affiliate_funds_percent"]) / 100
        due = EXACT.subtract(due, EXACT.multiply(Decimal(max(of.discount, 0)), share))
    return max(due, Decimal(0))


def in_whole_units(dues: dict[int, Decimal], terms: PlanTerms) -> dict[int, int]:
    """Of one rule's lines, by position: as long as units are left, the largest rest."""
    total = EXACT.create_decimal(0)
    for due in dues.values():
        total = EXACT.add(total, due)
    left = int(total.quantize(Decimal(1), ROUNDINGS[terms.rounding], EXACT))
    whole = {position: int(due) for position, due in dues.items()}
    left -= sum(whole.values())
    while left > 0:
        rests = {at: EXACT.subtract(dues[at], whole[at]) for at in dues}
        most = max(rests, key=lambda at: (rests[at], -at))
        whole[most] += 1
        left -= 1
    return whole


def base_of(of: LineFacts, terms: PlanTerms) -> int:
    base = of.net
    if terms.counts_discount:
        base += max(of.discount, 0)
    return base if terms.counts_credit else base - max(of.credit, 0)


def require_sound(facts: SaleFacts, terms: PlanTerms) -> CommissionReceipt:
    commission = compute(facts, terms)
    cap = terms.cap_in(facts.currency)
    bases = bases_after_credits(
        [(of.product_ref, of.kind, base_of(of, terms)) for of in facts.lines]
    )
    receipts = [made.receipt for made in commission.lines]
    assert set_off_follows(receipts)
    assert spread_follows(receipts)
    dues: dict[int, dict[int, Decimal]] = {}
    for made, of, base in zip(commission.lines, facts.lines, bases, strict=True):
        if made.receipt["outcome"] == "earned":
            of_rule = dues.setdefault(made.receipt["rule_number"], {})
            of_rule[of.position] = in_another_way(made.receipt, of, base)
    whole = {
        position: units
        for of_rule in dues.values()
        for position, units in in_whole_units(of_rule, terms).items()
    }
    for made, of, base in zip(commission.lines, facts.lines, bases, strict=True):
        kept = json.loads(json.dumps(made.receipt))
        assert kept == made.receipt
        assert recompute_line(kept) == made.amount >= 0
        assert is_sound(kept)
        assert len(explain_receipt(kept)) >= 3
        assert kept["steps"][0]["amount"] == base
        is_fixed = any("each" in step for step in kept["steps"])
        assert is_fixed or made.amount <= max(base, 0)
        of_cap = kept["inputs"]["cap"]
        assert made.amount == min(
            whole.get(of.position, 0),
            max(0, of_cap["amount"] - of_cap["earned_before"])
            if of_cap
            else made.amount,
        )
    assert commission.amount == sum(made.amount for made in commission.lines)
    if cap is not None:
        assert commission.amount <= max(0, cap - facts.earned_in_period)
    assert (commission.hold_days > 0) <= (commission.amount > 0)
    return commission


@pytest.mark.long
def test_receipts_of_random_sales_add_up():
    random = Random(2026)  # noqa: S311 - the same sales in every run
    outcomes: dict[str, int] = {}

    for _ in range(RUNS):
        terms, facts = plan(random), sale(random)
        kept = PlanTerms.from_json(json.loads(json.dumps(terms.to_json())))
        commission = require_sound(facts, kept)
        assert kept == terms
        assert commission == compute(facts, terms)
        for made in commission.lines:
            outcome = made.receipt["outcome"]
            outcomes[outcome] = outcomes.get(outcome, 0) + 1

    # The sales are not all of one sort.
    assert len(outcomes) == 6
    assert min(outcomes.values()) > RUNS // 10


@each("kept", KEPT)
def test_receipt_kept_from_before_computes_to_the_same_minor_units(kept):
    assert recompute_line(kept["receipt"]) == kept["amount"]
    assert is_sound(kept["receipt"])
    assert explain_receipt(kept["receipt"])[-1].startswith("Commission: ")


def test_receipts_of_every_format_are_kept():
    assert {kept["receipt"]["format"] for kept in KEPT} == {*FORMATS, SHARE_FORMAT}
