"""Sentences of code that knows no framework, in the language that is active."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.utils import translation

from affiliates.core import language
from affiliates.core.days import day, span


def test_without_a_catalogue_a_text_is_as_it_is_written(monkeypatch):
    monkeypatch.setattr(language, "_translate", language._as_written)
    monkeypatch.setattr(language, "_count", language._one_or_many)

    assert language.gettext("Overview") == "Overview"
    assert language.ngettext("one", "many", 1) == "one"
    assert language.ngettext("one", "many", 2) == "many"


def test_an_empty_text_is_empty():
    with translation.override("de"):
        assert language.gettext("") == ""


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


def test_numbers_are_those_of_the_language_that_texts_are_in(monkeypatch):
    for code, text in (("en", "12.5"), ("fr", "12.5"), ("de-at", "12,5")):
        with translation.override(code):
            assert language.number("12.5") == text
    with translation.override(None):
        assert language.number("12.5") == "12.5"
    monkeypatch.setattr(language, "_language", language._english)
    with translation.override("de"):
        assert language.number("12.5") == "12.5"
