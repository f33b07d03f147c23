"""Who needs nobody of staff, and what is kept of answers."""

from __future__ import annotations

from decimal import Decimal

import pytest

from affiliates.contrib.recruitment.rules import (
    MAX_ANSWER,
    Approval,
    Headline,
    Question,
    headline_of,
    is_approved,
    keep_answers,
)
from affiliates.errors import InvalidInput
from affiliates.plans.rules.terms import (
    RateKind,
    RuleTerms,
    TierTerms,
)
from tests.cases import each

WHERE = Question(7, "Where do you write?", is_required=True)
SINCE = Question(9, "Since when?", is_required=False)


@each(
    ("approval", "is_verified", "has_paid", "approved"),
    [
        (Approval.NEVER, True, True, False),
        (Approval.PAID, True, True, True),
        (Approval.PAID, True, False, False),
        (Approval.PAID, False, True, False),
        (Approval.EVERYBODY, False, False, True),
    ],
)
def test_who_is_approved(approval, is_verified, has_paid, approved):
    found = is_approved(approval, is_verified=is_verified, has_paid=has_paid)

    assert found is approved


def test_answers_are_kept_with_what_was_asked():
    given = {"7": " My blog \n", "8": "nobody asked"}

    assert keep_answers([WHERE, SINCE], given) == [
        {"question": "Where do you write?", "answer": "My blog"},
        {"question": "Since when?", "answer": ""},
    ]


@each(
    ("given", "code", "field"),
    [
        ({}, "required", "question_7"),
        ({"7": "  "}, "required", "question_7"),
        ({"7": "a" * (MAX_ANSWER + 1)}, "max_length", "question_7"),
        ({"7": "a", "9": "a" * (MAX_ANSWER + 1)}, "max_length", "question_9"),
    ],
)
def test_answers_that_cannot_be_kept_are_refused(given, code, field):
    with pytest.raises(InvalidInput) as refused:
        keep_answers([WHERE, SINCE], given)

    assert (refused.value.code, refused.value.field) == (code, field)


def rule(percent: int, **terms: object) -> RuleTerms:
    return RuleTerms(percent=Decimal(percent), **terms)


TIER = TierTerms(unit="sales", at_least=5, percent=Decimal(25))


@each(
    ("rules", "percent", "place", "is_best_of_many", "is_of_everything"),
    [
        ([rule(20)], 20, 0, False, True),
        ([rule(20), rule(20, kind="domain")], 20, 0, False, False),
        ([rule(10), rule(30, position_to=0)], 30, 1, True, False),
        ([rule(20, position_to=0)], 20, 0, False, False),
        ([rule(20, product_ref="agency")], 20, 0, False, False),
        ([rule(20, tiers=(TIER,))], 25, 0, True, False),
        ([rule(10), rule(50, position_from=1)], 10, 0, False, False),
    ],
)
def test_the_best_rate_is_shown_large(
    rules, percent, place, is_best_of_many, is_of_everything
):
    assert headline_of(rules) == Headline(
        percent=Decimal(percent),
        rule=rules[place],
        is_best_of_many=is_best_of_many,
        is_of_everything=is_of_everything,
    )


@each(
    "rules",
    [
        [],
        [rule(0)],
        [rule(20, position_from=1)],
        [RuleTerms(rate_kind=RateKind.FIXED, fixed_amounts={"EUR": 150})],
    ],
)
def test_without_a_percentage_for_new_orders_no_rate_is_shown_large(rules):
    assert headline_of(rules) is None
