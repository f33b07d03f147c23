"""What credits of an invoice take off the bases of its other lines."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest
from django.utils import translation

from affiliates.plans.rules.bases import set_off_follows
from affiliates.plans.rules.computation import is_sound
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.plans.rules.matching import LineFacts
from affiliates.plans.rules.rounding import Rounding
from affiliates.plans.rules.set_off import LineBase, set_off
from affiliates.plans.rules.terms import (
    CapPeriod,
    CouponTerms,
    PlanTerms,
    RateKind,
    RuleTerms,
)
from tests.affiliates.plans.receipts import LINE, compute, earned
from tests.cases import each
from tests.factories.credits import bases_after_credits

TWENTY_PERCENT = RuleTerms(percent=Decimal(20))
NEW = replace(LINE, position=1, product_ref="new", net=9000)
OLD = replace(LINE, position=2, product_ref="old", net=-4000)
DOMAIN = replace(LINE, position=3, kind="domain", product_ref="com", net=1000)


def left(*lines: tuple[str, str, int]) -> list[int]:
    """The bases that are left of lines of product, kind and base."""
    bases = [LineBase(place, *line) for place, line in enumerate(lines, start=1)]
    found = set_off(bases)
    return [
        line.base - sum(one.amount for one in taken)
        for line, taken in zip(bases, found, strict=True)
    ]


@each(
    ("_case", "lines", "expected"),
    [
        ("no line", [], []),
        ("no credit", [("a", "hosting", 5), ("b", "addon", 0)], [5, 0]),
        ("of its kind", [("a", "hosting", 9000), ("b", "hosting", -4000)], [5000, 0]),
        ("before its line", [("b", "hosting", -4), ("a", "hosting", 9)], [0, 5]),
        ("nothing to lower", [("a", "hosting", -4), ("b", "hosting", 0)], [-4, 0]),
        ("a rest is lost", [("a", "hosting", 3), ("a", "hosting", -10)], [0, -7]),
        (
            "its product before its kind",
            [("a", "hosting", 50), ("b", "hosting", 50), ("b", "hosting", -40)],
            [50, 10, 0],
        ),
        (
            "its product of another kind before its kind",
            [("a", "hosting", 50), ("b", "addon", 50), ("b", "hosting", -40)],
            [50, 10, 0],
        ),
        (
            "what its product leaves, off its kind",
            [("a", "hosting", 50), ("b", "hosting", 50), ("b", "hosting", -60)],
            [40, 0, 0],
        ),
        (
            "what its kind leaves, off all others in proportion",
            [
                *[("a", "addon", 30), ("b", "setup", 10), ("c", "hosting", 5)],
                ("d", "hosting", -25),
            ],
            [15, 5, 0, 0],
        ),
        (
            "in proportion within its kind",
            [("a", "hosting", 300), ("b", "hosting", 100), ("c", "hosting", -40)],
            [270, 90, 0],
        ),
        (
            "in proportion within its product",
            [("a", "x", 300), ("a", "y", 100), ("b", "z", 7), ("a", "z", -40)],
            [270, 90, 7, 0],
        ),
        (
            "the largest fraction gets the unit that is left over",
            [("a", "x", 10), ("b", "x", 20), ("c", "x", -10)],
            [7, 13, 0],
        ),
        (
            "of equal fractions the first lines",
            [("a", "x", 10), ("b", "x", 10), ("c", "x", 10), ("d", "x", -2)],
            [9, 9, 10, 0],
        ),
        (
            "a kind in any case, a product exactly",
            [("A", "addon", 10), ("b", " Hosting ", 10), ("a", "hosting", -4)],
            [10, 6, 0],
        ),
        (
            "no product and no kind: off all",
            [("", "", 10), ("a", "hosting", 30), ("", " ", -8)],
            [8, 24, 0],
        ),
        (
            "no product is no product in common",
            [("", "addon", 10), ("", "hosting", 10), ("", "hosting", -4)],
            [10, 6, 0],
        ),
        (
            "credits in the order of the lines",
            [
                *[("a", "x", -30), ("a", "x", 20), ("b", "y", 20), ("b", "y", -20)],
                ("c", "z", 1),
            ],
            [0, 0, 0, -9, 0],
        ),
        (
            "no unit is lost of amounts of any size",
            [("a", "x", 10**15), ("b", "x", 10**15 - 1), ("c", "y", -(10**15))],
            [500_000_000_000_000, 499_999_999_999_999, 0],
        ),
    ],
)
def test_credit_lowers_what_is_nearest_to_it(lines, expected):
    assert left(*lines) == expected


def test_random_credits_leave_the_sum_and_no_base_below_zero():
    random = Random(7)  # noqa: S311 - the same lines in every run

    for _ in range(500):
        lines = [
            (
                random.choice(["", "a", "b", "B"]),
                random.choice(["", "hosting", "Hosting", "addon"]),
                random.choice([-1, 1, 1])
                * random.randint(0, 10 ** random.randint(1, 9)),
            )
            for _ in range(random.randint(0, 8))
        ]
        after, before = left(*lines), [base for _, _, base in lines]

        assert after == bases_after_credits(lines)
        assert sum(after) == sum(before)
        assert all(
            0 <= now <= base if base >= 0 else base <= now <= 0
            for now, base in zip(after, before, strict=True)
        )


def test_credit_for_the_old_plan_lowers_what_the_new_one_earns():
    assert earned(NEW, OLD, rules=[TWENTY_PERCENT]) == [1000, 0]


def test_credit_lowers_lines_that_earn_nothing_as_well():
    setup = replace(DOMAIN, kind="setup", product_ref="setup", net=9000)
    credit = replace(OLD, kind="", product_ref="")
    rules = [replace(TWENTY_PERCENT, kind="hosting")]

    assert earned(NEW, credit, setup, rules=rules) == [1400, 0, 0]


def test_fixed_amount_is_earned_whole_while_anything_is_left_of_its_base():
    rules = [RuleTerms(rate_kind=RateKind.FIXED, fixed_amounts={"EUR": 500})]

    assert earned(NEW, replace(OLD, net=-8999), rules=rules) == [500, 0]
    assert earned(NEW, replace(OLD, net=-9000), rules=rules) == [0, 0]


def test_base_of_the_plan_is_what_is_set_off():
    new = replace(NEW, discount=1000, credit=500)
    terms = {
        (discount, credit): PlanTerms(
            rules=(replace(TWENTY_PERCENT, percent=Decimal(100)),),
            counts_discount=discount,
            counts_credit=credit,
        )
        for discount in (False, True)
        for credit in (False, True)
    }

    assert {key: earned(new, OLD, terms=one)[0] for key, one in terms.items()} == {
        (False, False): 4500,
        (False, True): 5000,
        (True, False): 5500,
        (True, True): 6000,
    }


def test_rate_funding_rounding_and_cap_follow_the_set_off():
    coupon = CouponTerms(
        code="SPRING", percent=Decimal("12.5"), affiliate_funds_percent=Decimal(50)
    )
    terms = PlanTerms(
        rules=(TWENTY_PERCENT,),
        rounding=Rounding.DOWN,
        cap_period=CapPeriod.MONTH,
        cap_amounts={"EUR": 600},
    )
    new = replace(NEW, discount=101)

    commission = compute(new, OLD, terms=terms, coupon=coupon, earned_in_period=100)

    receipt = commission.lines[0].receipt
    assert receipt["steps"] == [
        {
            "step": "base",
            "net": 9000,
            "discount": 0,
            "credit": 0,
            "set_off": 4000,
            "amount": 5000,
        },
        {"step": "rate", "percent": "12.5", "of": 5000, "amount": "625"},
        {"step": "funding", "percent": "50", "of": 101, "amount": "574.5"},
        {"step": "round", "mode": "down", "amount": 574},
        {"step": "cap", "left": 500, "amount": 500},
    ]


def test_receipts_list_what_was_set_off_against_which_line():
    credit = replace(OLD, position=4, kind="", product_ref="", net=-1000)
    domain = replace(DOMAIN, net=5000)

    commission = compute(NEW, OLD, domain, credit, rules=[TWENTY_PERCENT])

    receipts = [line.receipt for line in commission.lines]
    assert [one["format"] for one in receipts] == [5, 5, 5, 5]
    assert [one["inputs"]["set_off"] for one in receipts] == [
        [{"line": 2, "amount": 4000}, {"line": 4, "amount": 500}],
        [{"line": 1, "amount": -4000}],
        [{"line": 4, "amount": 500}],
        [{"line": 1, "amount": -500}, {"line": 3, "amount": -500}],
    ]
    assert [one["steps"][0]["amount"] for one in receipts] == [4500, 0, 4500, 0]
    assert explain_receipt(receipts[0]) == (
        "Plan Standard, version 3, rule 1: 20 % of everything.",
        "Base: €90.00 net - €40.00 credit of line 2 - €5.00 credit of line 4 = €45.00.",
        "20 % of €45.00 = €9.00.",
        "Rounded to the nearest minor unit, half up = €9.00.",
        "Commission: €9.00.",
    )
    assert explain_receipt(receipts[3]) == (
        "Plan Standard, version 3, rule 1: 20 % of everything.",
        "Base: -€10.00 net + €5.00 set off against line 1 + €5.00 set off "
        "against line 3 = €0.00.",
        "The base is not above zero.",
        "Commission: €0.00.",
    )
    with translation.override("de"):
        assert explain_receipt(receipts[0])[1] == (
            "Grundlage: 90,00\xa0€ netto - 40,00\xa0€ Gutschrift aus Zeile 2 "
            "- 5,00\xa0€ Gutschrift aus Zeile 4 = 45,00\xa0€."
        )
        assert explain_receipt(receipts[3])[1] == (
            "Grundlage: -10,00\xa0€ netto + 5,00\xa0€ verrechnet mit Zeile 1 "
            "+ 5,00\xa0€ verrechnet mit Zeile 3 = 0,00\xa0€."
        )


def test_line_without_a_set_off_says_nothing_of_it():
    receipt = compute().lines[0].receipt

    assert receipt["inputs"]["set_off"] == []
    assert explain_receipt(receipt)[1] == "Base: €100.00 net."


@pytest.mark.parametrize(
    ("_case", "entries"),
    [
        ("forgotten", [[], []]),
        ("of another amount", [[(2, 3000)], [(1, -3000)]]),
        ("of one side", [[(2, 4000)], []]),
    ],
)
def test_set_off_that_does_not_follow_from_all_lines_is_not_sound(_case, entries):
    receipts = [one.receipt for one in compute(NEW, OLD).lines]
    assert set_off_follows(receipts)

    for receipt, taken in zip(receipts, entries, strict=True):
        # The line's own steps and amount follow: only the other lines speak against it.
        forged = compute(replace(NEW, net=9000 - sum(n for _, n in taken))).lines[0]
        base = receipt["inputs"]["net"] - sum(amount for _, amount in taken)
        receipt["inputs"]["set_off"] = [
            {"line": line, "amount": amount} for line, amount in taken
        ]
        receipt["steps"][0] |= {"set_off": sum(n for _, n in taken), "amount": base}
        if receipt["outcome"] == "earned":
            receipt["steps"][1:] = forged.receipt["steps"][1:]
            receipt["amount"] = forged.amount

    assert all(map(is_sound, receipts))
    assert not set_off_follows(receipts)


def test_line_with_a_credit_of_the_client_greater_than_its_net_is_a_credit():
    line = LineFacts(position=2, net=1000, credit=1500)

    assert earned(NEW, line, rules=[TWENTY_PERCENT]) == [1700, 0]
