"""Sentences in the language that is active, numbers and days in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation
from django.utils.translation import gettext

from affiliates.core.days import day, span
from affiliates.core.language import (
    inside_sentence,
    number_text,
    text_language,
    translated,
)
from affiliates.plans.rules.terms import CapPeriod


def test_an_empty_text_is_empty():
    with translation.override("de"):
        assert gettext("") == ""


def test_months_are_those_of_the_language():
    with translation.override("de"):
        assert "Mai" in day(datetime(2026, 5, 3, tzinfo=UTC))


def test_spans_are_counted():
    assert [span(timedelta(seconds=s)) for s in (0, 1, 120, 7_200, 86_400)] == [
        "less than a second",
        "1 second",
        "2 minutes",
        "2 hours",
        "1 day",
    ]


@pytest.mark.parametrize(
    ("active", "language", "number"),
    [
        ("en", "en", "12.5"),
        ("en-gb", "en", "12.5"),
        ("de", "de", "12,5"),
        ("de-at", "de", "12,5"),
        ("fr", "en", "12.5"),
        (None, "en", "12.5"),
    ],
)
def test_numbers_are_those_of_the_language_that_texts_are_in(active, language, number):
    with translation.override(active):
        assert (text_language(), number_text("12.5")) == (language, number)


@pytest.mark.parametrize(
    ("active", "label"),
    [("en", "in a calendar month"), ("de", "in einem Kalendermonat")],
)
def test_a_label_inside_a_sentence_begins_in_lower_case(active, label):
    with translation.override(active):
        assert inside_sentence(CapPeriod.MONTH) == label


@pytest.mark.parametrize(
    ("_case", "language", "expected"),
    [
        ("a translation", "de", "Hallo"),
        ("a variant has its language's", "de-at", "Hallo"),
        ("a variant of its own first", "de-ch", "Grüezi"),
        ("an unknown language has the text", "fr", "Hello"),
    ],
)
def test_translated(_case: str, language: str, expected: str) -> None:
    translations = {"de": "Hallo", "de-ch": "Grüezi"}
    assert translated("Hello", translations, language) == expected
    with translation.override(language):
        assert translated("Hello", translations) == expected
