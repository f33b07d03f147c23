"""A plan's earnings at the host's prices, for each kind of rule."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from django.utils import translation

from affiliates.core.days import BillingCycle
from affiliates.plans.rules.computation import compute_commission
from affiliates.plans.rules.examples import (
    MAX_EXAMPLES,
    EarningStage,
    PricedProduct,
    best_example,
    examples_of,
)
from affiliates.plans.rules.matching import (
    Counted,
    LineFacts,
    SaleFacts,
    months_after,
)
from affiliates.plans.rules.terms import (
    CapPeriod,
    PlanTerms,
    RateKind,
    RuleTerms,
    TierBasis,
    TierPeriod,
    TierTerms,
)
from tests.cases import each
from tests.factories.ledger import NOW


def priced(name: str, price: int, cycle: str, **fields: str) -> PricedProduct:
    months = BillingCycle(cycle).months if cycle else 0
    first = LineFacts(position=1, billing_cycle=cycle, net=price, **fields)
    renewal = replace(first, operation="renew" if first.tld else "")
    return PricedProduct(
        name=name,
        currency="EUR",
        first=first,
        renewal=renewal if months else None,
        months=months,
    )


AGENCY = priced("Agency", 240_00, "annually", product_ref="agency", kind="hosting")
STARTER = priced("Starter", 5_00, "monthly", product_ref="starter", kind="hosting")
MOVING = priced("Moving in", 49_00, "one_time", kind="setup")
DOMAIN = priced(
    "Domain .com", 12_00, "annually", kind="domain", tld="com", operation="register"
)
ADVICE = priced("Advice", 80_00, "")


def rule(percent: int = 0, **fields: object) -> RuleTerms:
    return RuleTerms(percent=Decimal(percent), **fields)


def tier(at_least: int, percent: int, unit: str = "sales") -> TierTerms:
    return TierTerms(unit=unit, at_least=at_least, percent=Decimal(percent))


EVERYTHING = rule(20)
NOTHING = RuleTerms(rate_kind=RateKind.NONE)
FIXED = RuleTerms(rate_kind=RateKind.FIXED, fixed_amounts={"EUR": 150})
TWELVE = rule(20, position_to=12)
STAGES = [rule(30, position_to=2), rule(10, position_from=3)]
TIERED = rule(15, tiers=(tier(3, 20), tier(6, 25)), tier_period=TierPeriod.MONTH)
CAPPED = {"cap_period": CapPeriod.MONTH, "cap_amounts": {"EUR": 30_00}}


@each(
    ("_case", "product", "rules", "said"),
    [
        ("percent", AGENCY, [EVERYTHING],
         "Agency, yearly €240.00: you earn €48.00 each time."),
        ("a fraction", STARTER, [rule(33)],
         "Starter, monthly €5.00: you earn €1.65 each time."),
        ("fixed", DOMAIN, [FIXED],
         "Domain .com, yearly €12.00: you earn €1.50 each time."),
        ("fixed for registrations", DOMAIN, [replace(FIXED, operation="register")],
         "Domain .com, yearly €12.00: you earn €1.50 for the first payment only."),
        ("fixed in another currency", AGENCY,
         [replace(FIXED, fixed_amounts={"USD": 150})],
         "Agency, yearly €240.00: you earn nothing."),
        ("13 payments", AGENCY, [TWELVE],
         "Agency, yearly €240.00: you earn €48.00 for each of the first 13 payments."),
        ("within months", STARTER,
         [rule(20, months=6)],
         "Starter, monthly €5.00: you earn €1.00 for each of the first 7 payments."),
        ("months shorter than the cycle", AGENCY,
         [rule(20, months=6)],
         "Agency, yearly €240.00: you earn €48.00 for the first payment only."),
        ("first payment", AGENCY, [rule(20, position_to=0)],
         "Agency, yearly €240.00: you earn €48.00 for the first payment only."),
        ("less for renewals", AGENCY,
         [rule(20, position_to=0), rule(5, position_from=1)],
         "Agency, yearly €240.00: you earn €48.00 first, then €12.00 for each renewal."),
        ("less for one renewal", AGENCY,
         [rule(20, position_to=0), rule(5, position_from=1, position_to=1)],
         "Agency, yearly €240.00: you earn €48.00 first, then €12.00 for 1 renewal."),
        ("two stages", STARTER, STAGES,
         "Starter, monthly €5.00: you earn €1.50 for each of the first 3 payments, then "
         "€0.50 each time."),
        ("stages that end", STARTER,
         [rule(30, position_to=2), rule(10, position_from=3, position_to=11)],
         "Starter, monthly €5.00: you earn €1.50 for each of the first 3 payments, then "
         "€0.50 for each of 9 renewals."),
        ("three stages", STARTER,
         [rule(30, position_to=0), rule(20, months=6), rule(10)],
         "Starter, monthly €5.00: you earn €1.50 first, then €1.00 for each of 6 "
         "renewals, then €0.50 each time."),
        ("nothing first", AGENCY, [rule(5, position_from=1)],
         "Agency, yearly €240.00: you earn €0.00 first, then €12.00 for each renewal."),
        ("stages that earn the same", STARTER,
         [rule(10, position_to=2), rule(10, position_from=3)],
         "Starter, monthly €5.00: you earn €0.50 each time."),
        ("stages of another product", STARTER,
         [EVERYTHING, rule(30, product_ref="agency", position_to=2)],
         "Starter, monthly €5.00: you earn €1.00 each time."),
        ("by product", AGENCY, [EVERYTHING, rule(30, product_ref="agency")],
         "Agency, yearly €240.00: you earn €72.00 each time."),
        ("by cycle", STARTER, [EVERYTHING, rule(30, billing_cycle="annually")],
         "Starter, monthly €5.00: you earn €1.00 each time."),
        ("nothing", AGENCY, [EVERYTHING, replace(NOTHING, product_ref="agency")],
         "Agency, yearly €240.00: you earn nothing."),
        ("no rule", MOVING, [rule(20, kind="hosting")],
         "Moving in, one time €49.00: you earn nothing."),
        ("once for ever", MOVING, [EVERYTHING],
         "Moving in, one time €49.00: you earn €9.80."),
        ("no cycle", ADVICE, [EVERYTHING], "Advice, €80.00: you earn €16.00."),
        ("their own rate", AGENCY, [EVERYTHING, rule(50, affiliate_id=7)],
         "Agency, yearly €240.00: you earn €120.00 each time."),
        ("another affiliate's rate", AGENCY, [EVERYTHING, rule(50, affiliate_id=8)],
         "Agency, yearly €240.00: you earn €48.00 each time."),
    ],
)  # fmt: skip
def test_earnings_at_the_host_s_prices_are_one_sentence(product, rules, said):
    terms = PlanTerms(rules=tuple(rules))

    [example] = examples_of([product], terms=terms, affiliate_id=7, at=NOW)

    assert example.text == said


@each(("limit", "count"), [(1, 2), (12, 13), (24, 25)])
def test_as_many_payments_earn_as_the_sentence_says(limit, count):
    """Counted by computing each payment of three years."""
    for limited in (rule(20, position_to=limit), rule(20, months=limit)):
        terms = PlanTerms(rules=(limited,))
        [example] = examples_of([STARTER], terms=terms, at=NOW)
        earned = [_earned_on_payment(number, terms) for number in range(36)]

        assert example.stages == (EarningStage(1_00, count, "EUR"),)
        assert earned == [1_00] * count + [0] * (36 - count)


def _earned_on_payment(number: int, terms: PlanTerms) -> int:
    sale = SaleFacts(
        currency="EUR",
        renewal_number=number,
        position=number,
        ordered_at=NOW,
        paid_at=months_after(NOW, number),
        affiliate_id=7,
        lines=(STARTER.renewal if number else STARTER.first,),
    )
    return compute_commission(sale, terms=terms, plan_name="", version_number=1).amount


@each(
    ("seen", "commission"),
    [(0, 36_00), (2, 36_00), (3, 48_00), (5, 48_00), (6, 60_00), (99, 60_00)],
)
def test_the_tier_reached_is_the_rate(seen, commission):
    terms = PlanTerms(rules=(TIERED,))
    counted = {
        "EUR": {TierBasis(TierPeriod.MONTH, is_by_sales=True): Counted(NOW, seen)}
    }

    [example] = examples_of([AGENCY], terms=terms, counted=counted, at=NOW)

    assert example.stages == (EarningStage(commission, None, "EUR"),)


def test_without_sales_the_tiers_are_at_their_start():
    [example] = examples_of([AGENCY], terms=PlanTerms(rules=(TIERED,)), at=NOW)

    assert example.commission == 36_00


def test_no_example_is_above_the_cap():
    terms = PlanTerms(rules=(EVERYTHING,), **CAPPED)

    agency, starter = examples_of([AGENCY, STARTER], terms=terms, at=NOW)

    assert (agency.commission, starter.commission) == (30_00, 1_00)


def test_the_best_example_is_of_the_first_product_s_currency():
    dollars = replace(AGENCY, name="Business", currency="USD", first=AGENCY.first)
    products = [STARTER, MOVING, dollars]
    terms = PlanTerms(rules=(EVERYTHING,))

    best = best_example(examples_of(products, terms=terms, at=NOW))

    assert (best.product, best.commission) == ("Moving in", 9_80)


@each("rules", [[], [NOTHING]])
def test_nothing_is_no_example(rules):
    terms = PlanTerms(rules=tuple(rules))

    assert best_example(examples_of([AGENCY], terms=terms, at=NOW)) is None
    assert best_example([]) is None


def test_a_page_has_so_many_examples():
    products = [AGENCY] * (MAX_EXAMPLES + 1)

    assert len(examples_of(products, terms=PlanTerms(), at=NOW)) == MAX_EXAMPLES == 50


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([TWELVE], "Agency, jährlich 240,00 €: Sie verdienen 48,00 € für jede der "
                   "ersten 13 Zahlungen."),
        ([EVERYTHING], "Agency, jährlich 240,00 €: Sie verdienen 48,00 € jedes Mal."),
        ([rule(20, position_to=0)],
         "Agency, jährlich 240,00 €: Sie verdienen 48,00 € nur für die erste Zahlung."),
        ([rule(20, position_to=0), rule(5, position_from=1)],
         "Agency, jährlich 240,00 €: Sie verdienen 48,00 € beim ersten Mal, dann "
         "12,00 € für jede Verlängerung."),
        ([*STAGES, rule(5, position_from=4)],
         "Agency, jährlich 240,00 €: Sie verdienen 72,00 € für jede der ersten 3 "
         "Zahlungen, dann 24,00 € jedes Mal."),
        ([rule(20, position_to=0), rule(5, position_from=1, position_to=1), NOTHING],
         "Agency, jährlich 240,00 €: Sie verdienen 48,00 € beim ersten Mal, dann "
         "12,00 € für 1 Verlängerung."),
    ],
)  # fmt: skip
def test_in_german(rules, said):
    [example] = examples_of([AGENCY], terms=PlanTerms(rules=tuple(rules)), at=NOW)

    with translation.override("de"):
        assert example.text.replace("\xa0", " ") == said
