"""The days that a choice names, and those to compare them with."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.spans import SpanForm, choose_days, spans_named
from affiliates.contrib.statistics.types import Span

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
LAST_30 = Span(date(2026, 2, 14), date(2026, 3, 15))


def d(text: str) -> date:
    return date.fromisoformat(text)


@pytest.mark.parametrize(
    ("name", "today", "span", "before"),
    [
        ("7", "2026-03-15", "2026-03-09 2026-03-15", "2026-03-02 2026-03-08"),
        ("30", "2026-03-15", "2026-02-14 2026-03-15", "2026-01-15 2026-02-13"),
        ("90", "2026-03-15", "2025-12-16 2026-03-15", "2025-09-17 2025-12-15"),
        ("month", "2026-03-15", "2026-03-01 2026-03-15", "2026-02-01 2026-02-15"),
        ("month", "2026-03-31", "2026-03-01 2026-03-31", "2026-02-01 2026-02-28"),
        ("month", "2026-01-01", "2026-01-01 2026-01-01", "2025-12-01 2025-12-01"),
        ("last-month", "2026-03-15", "2026-02-01 2026-02-28", "2026-01-01 2026-01-31"),
        ("last-month", "2026-01-09", "2025-12-01 2025-12-31", "2025-11-01 2025-11-30"),
        ("year", "2026-03-15", "2026-01-01 2026-03-15", "2025-01-01 2025-03-15"),
        ("year", "2028-02-29", "2028-01-01 2028-02-29", "2027-01-01 2027-02-28"),
    ],
)
def test_named_spans(name, today, span, before):
    expected = tuple(Span(*map(d, days.split())) for days in (span, before))

    assert spans_named(name, today=d(today)) == expected


def chosen(of, **asked):
    form = SpanForm(asked)
    form.fields["brand"].queryset = Brand.objects.all()
    return choose_days(form, of, [of], {"brand": str(of.pk)}, now=NOW)


def test_without_a_choice_thirty_days(brand):
    found = chosen(brand)

    assert (found.brand, found.name, found.span) == (brand, "30", LAST_30)
    assert not found.form.errors


def test_days_of_ones_own_are_compared_with_as_many_before(brand):
    found = chosen(brand, span="custom", first_day="2026-02-01", last_day="2026-02-10")

    assert found.span == Span(d("2026-02-01"), d("2026-02-10"))
    assert found.before == Span(d("2026-01-22"), d("2026-01-31"))
    assert found.query == (
        f"brand={brand.pk}&span=custom&first_day=2026-02-01&last_day=2026-02-10"
    )


@pytest.mark.parametrize(
    "asked",
    [
        {"span": "custom"},
        {"span": "custom", "first_day": "2026-02-10", "last_day": "2026-02-01"},
        {"span": "custom", "first_day": "2020-01-01", "last_day": "2026-02-01"},
        {"span": "custom", "first_day": "0001-01-01", "last_day": "0001-01-02"},
        {"span": "custom", "first_day": "x", "last_day": "2026-02-01"},
        {"span": "fortnight"},
        {"brand": "12345"},
        {"brand": "x"},
    ],
)
def test_what_cannot_be_shown_is_said_and_the_default_shown(brand, asked):
    found = chosen(brand, **{"brand": str(brand.pk), **asked})

    assert (found.brand, found.span) == (brand, LAST_30)
    assert found.form.errors
