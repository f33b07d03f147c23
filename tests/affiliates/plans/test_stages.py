"""Rules for some payments of an order: their stages, and the sentences about them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from django.utils import translation

from affiliates.plans.rules.explanations import explain_receipt
from affiliates.plans.rules.matching import months_after
from affiliates.plans.rules.messages import describe_rule
from affiliates.plans.rules.terms import CouponTerms, PlanTerms, RateKind, RuleTerms
from tests.affiliates.plans.receipts import ORDERED_AT, compute, earned
from tests.cases import each


def rule(percent: int, **limits: object) -> RuleTerms:
    return RuleTerms(percent=Decimal(percent), **limits)


def nothing(**limits: object) -> RuleTerms:
    return RuleTerms(rate_kind=RateKind.NONE, **limits)


FIRST = rule(30, position_to=2)
THEN = rule(10, position_from=3)
FIVE_EUROS = RuleTerms(rate_kind=RateKind.FIXED, fixed_amounts={"EUR": 500})


@each(
    ("_case", "rules", "amounts"),
    [
        ("two stages", [FIRST, THEN], [3000, 3000, 3000, 1000, 1000]),
        ("in another order", [THEN, FIRST], [3000, 3000, 3000, 1000, 1000]),
        ("and the rest of all", [rule(10), FIRST], [3000, 3000, 3000, 1000, 1000]),
        ("no second stage", [FIRST], [3000, 3000, 3000, 0, 0]),
        ("no first stage", [THEN], [0, 0, 0, 1000, 1000]),
        ("a gap", [rule(30, position_to=0), THEN], [3000, 0, 0, 1000, 1000]),
        (
            "three stages",
            [rule(30, position_to=0), rule(20, position_from=1, position_to=2), THEN],
            [3000, 2000, 2000, 1000, 1000],
        ),
        (
            "overlapping: the plan's first",
            [FIRST, rule(20, position_to=3)],
            [3000, 3000, 3000, 2000, 0],
        ),
        (
            "two months, then the rest",
            [rule(30, months=2), rule(10)],
            [3000, 3000, 3000, 1000, 1000],
        ),
        (
            "positions within months",
            [rule(30, position_from=1, months=2), rule(10)],
            [1000, 3000, 3000, 1000, 1000],
        ),
        (
            "a fixed amount first",
            [replace(FIVE_EUROS, position_to=0), rule(10)],
            [500, 1000, 1000, 1000, 1000],
        ),
        (
            "nothing at the end, beside a wider rule",
            [
                rule(50, kind="hosting", position_to=0),
                nothing(kind="hosting"),
                rule(10),
            ],
            [5000, 0, 0, 0, 0],
        ),
        (
            "nothing after months, beside a wider rule",
            [
                rule(10),
                nothing(kind="hosting"),
                rule(50, kind="hosting", months=1),
            ],
            [5000, 5000, 0, 0, 0],
        ),
        (
            "the wider rule, without that one",
            [rule(50, kind="hosting", position_to=0), rule(10)],
            [5000, 1000, 1000, 1000, 1000],
        ),
        (
            "another affiliate's stage",
            [rule(50, affiliate_id=2, position_to=2), rule(10)],
            [1000, 1000, 1000, 1000, 1000],
        ),
    ],
)
def test_each_payment_earns_by_the_stage_that_reaches_it(rules, amounts):
    """Five monthly payments of 100.00."""
    by_payment = [
        earned(
            rules=rules,
            renewal_number=number,
            paid_at=months_after(ORDERED_AT, number),
        )
        for number in range(5)
    ]

    assert by_payment == [[amount] for amount in amounts]


@each(("number", "position", "amount"), [(5, 2, 3000), (5, 3, 1000), (5, 0, 3000)])
def test_the_position_decides_and_not_the_renewal_number(number, position, amount):
    sale = {"renewal_number": number, "position": position}

    assert earned(rules=[FIRST, THEN], **sale) == [amount]


@each("position", [2, 3])
def test_a_coupon_s_rate_replaces_that_of_each_stage_but_not_of_none(position):
    sale = {
        "renewal_number": position,
        "coupon": CouponTerms(code="S", percent=Decimal(7)),
    }

    assert earned(rules=[FIRST, THEN], **sale) == [700]
    assert earned(rules=[rule(30, position_to=0)], **sale) == [0]


@each(
    ("_case", "limits", "sale", "sentence"),
    [
        ("over", {"position_to": 2}, {"renewal_number": 3},
         "The rule's payments are over: this is renewal 3."),
        ("over, though within its months", {"position_to": 2, "months": 12},
         {"renewal_number": 3}, "The rule's payments are over: this is renewal 3."),
        ("over by its months", {"position_to": 2, "months": 1},
         {"renewal_number": 2, "paid_at": ORDERED_AT.replace(month=5)},
         "The rule's payments are over: this is renewal 2, paid on 1 May 2026, 12:00 "
         "UTC; renewals earned until 1 Apr 2026, 12:00 UTC."),
        ("not begun", {"position_from": 3}, {"renewal_number": 2},
         "The rule's payments have not begun: this is renewal 2."),
        ("not begun, and late", {"position_from": 3, "months": 1},
         {"renewal_number": 2, "paid_at": ORDERED_AT.replace(month=5)},
         "The rule's payments have not begun: this is renewal 2."),
        ("not begun, after a trial", {"position_from": 1},
         {"renewal_number": 1, "position": 0},
         "The rule's payments have not begun: this is renewal 1."),
        ("not begun at first", {"position_from": 1}, {},
         "The rule's payments have not begun: this is the first payment."),
    ],
)  # fmt: skip
def test_receipt_names_the_rule_that_does_not_reach_the_payment(limits, sale, sentence):
    for of_rule in (rule(10, **limits), nothing(**limits)):
        receipt = compute(rules=[of_rule], **sale).lines[0].receipt

        assert receipt["outcome"] == "out_of_reach"
        assert receipt["rule_number"] == 1
        assert sentence in explain_receipt(receipt)


@each(
    ("limits", "english", "german"),
    [
        ({}, "", ""),
        ({"position_to": 0}, ", new orders only", ", nur neue Bestellungen"),
        ({"position_from": 1}, ", renewals only", ", nur Verlängerungen"),
        ({"position_to": 1}, ", the first payment and 1 renewal",
         ", die erste Zahlung und 1 Verlängerung"),
        ({"position_to": 12}, ", the first payment and 12 renewals",
         ", die erste Zahlung und 12 Verlängerungen"),
        ({"position_from": 1, "position_to": 12}, ", payments 2 to 13",
         ", Zahlungen 2 bis 13"),
        ({"position_from": 3, "position_to": 3}, ", payment 4 only", ", nur Zahlung 4"),
        ({"position_from": 3}, ", from payment 4 on", ", ab Zahlung 4"),
        ({"months": 12}, ", until 12 months after the order",
         ", bis 12 Monate nach der Bestellung"),
        ({"position_from": 1, "months": 12},
         ", renewals only, until 12 months after the order",
         ", nur Verlängerungen, bis 12 Monate nach der Bestellung"),
    ],
)  # fmt: skip
def test_the_limits_of_a_rule_are_told_as_payments(limits, english, german):
    assert describe_rule(rule(10, **limits)) == f"10 % of everything{english}"
    with translation.override("de"):
        assert describe_rule(rule(10, **limits)) == f"10 % auf alles{german}"


@each(
    "limits",
    [{"position_to": 0}, {"position_from": 1}, {"months": 1}, {"position_to": 2}],
)
def test_terms_with_limits_are_stored_and_read_the_same(limits):
    terms = PlanTerms(rules=(rule(10, **limits), rule(10)))

    again = PlanTerms.from_json(terms.to_json())

    assert again == terms
    assert again.digest == terms.digest != PlanTerms(rules=(rule(10), rule(10))).digest
