"""Who needs nobody of staff, and what is kept of answers."""

from __future__ import annotations

import pytest

from affiliates.contrib.recruitment.rules import (
    MAX_ANSWER,
    Approval,
    Question,
    is_approved,
    keep_answers,
)
from affiliates.errors import InvalidInput
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
