"""The texts of a chart: its sentence, its axis, and its days, weeks or months."""

from __future__ import annotations

from datetime import date

import pytest
from django.utils import translation

from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.drawing import change_text, chart_of, text_of
from affiliates.contrib.statistics.metrics import HUMAN_CLICKS
from affiliates.contrib.statistics.types import Figures, Point, Statistics, Step


def points_of(month: int, *clicks: int) -> list[Point]:
    return [
        Point(day, day, Statistics({"": Figures(human_clicks=count)}), False)
        for place, count in enumerate(clicks, start=1)
        if (day := date(2026, month, place))
    ]


@pytest.mark.parametrize(
    ("_case", "language", "now", "before", "sentence"),
    [
        ("some", "en", (2, 3), (4, 0), "5 (period before: 4). Best day: 2 Oct (3)."),
        (
            "nothing any more",
            "en",
            (0, 0),
            (4, 0),
            "Nothing in this period (period before: 4).",
        ),
        (
            "nothing any more, in German",
            "de",
            (0, 0),
            (4, 0),
            "Nichts in diesem Zeitraum (Zeitraum davor: 4).",
        ),
        (
            "never anything",
            "en",
            (0, 0),
            (0, 0),
            "Nothing in this period or in the period before.",
        ),
        (
            "never anything, in German",
            "de",
            (0, 0),
            (0, 0),
            "Nichts in diesem Zeitraum und nichts im Zeitraum davor.",
        ),
    ],
)
def test_what_is_seen_is_said(_case, language, now, before, sentence):
    with translation.override(language):
        chart = chart_of(
            HUMAN_CLICKS,
            points_of(10, *now),
            points_of(9, *before),
            "",
            step=Step.DAY,
            before_words="September",
            is_bars=True,
        )

    assert chart.sentence == sentence


WEEK = (date(2026, 10, 5), date(2026, 10, 11))
MONTH = (date(2026, 10, 1), date(2026, 10, 31))


@pytest.mark.parametrize(
    ("_case", "language", "step", "days", "is_open", "best"),
    [
        ("week", "en", Step.WEEK, WEEK, False, "Best week: 5 Oct – 11 Oct"),
        ("month", "en", Step.MONTH, MONTH, False, "Best month: Oct 2026"),
        ("in German", "de", Step.MONTH, MONTH, False, "Stärkster Monat: Okt 2026"),
        ("cut", "en", Step.MONTH, WEEK, False, "Best month: 5 Oct – 11 Oct"),
        (
            "not over",
            "en",
            Step.MONTH,
            (MONTH[0], WEEK[1]),
            True,
            "Best month: Oct 2026",
        ),
    ],
)
def test_best_week_or_month(_case, language, step, days, is_open, best):
    point = Point(*days, Statistics({"": Figures(human_clicks=3)}), is_open)
    with translation.override(language):
        chart = chart_of(
            HUMAN_CLICKS, [point], [], "", step=step, before_words="", is_bars=True
        )

    assert best in chart.sentence
    assert chart.is_unfinished == is_open


@pytest.mark.parametrize(
    ("clicks", "axis"),
    [(0, ["", "", "0"]), (3, ["3", "", "0"]), (1_900, ["2,000", "1,000", "0"])],
)
def test_axis_has_whole_numbers_alone(clicks, axis):
    chart = chart_of(
        HUMAN_CLICKS,
        points_of(10, clicks),
        [],
        "",
        step=Step.DAY,
        before_words="",
        is_bars=True,
    )

    assert chart.axis == axis


def test_a_day_before_has_its_year_if_that_is_another():
    chart = chart_of(
        HUMAN_CLICKS,
        points_of(1, 5, 5),
        [point._replace(first=date(2025, 12, 31)) for point in points_of(1, 4)]
        + points_of(1, 4),
        "",
        step=Step.DAY,
        before_words="",
        is_bars=True,
    )

    labels = [point.before_label for point in chart.points]
    assert labels == ["31 Dec 2025 – 1 Jan 2026", "1 Jan"]


def test_rates_of_counts_are_of_all_currencies_and_those_of_amounts_of_one():
    found = Statistics(
        {
            "EUR": Figures(sales=7, reversals=1, revenue=10_000, approved=2_000),
            "USD": Figures(sales=1, revenue=10_000, approved=1_000),
        }
    )

    assert text_of(metrics.REFUND_RATE, found, "EUR") == "12.5 %"
    assert text_of(metrics.COST_PERCENT, found, "EUR") == "20.0 %"


@pytest.mark.parametrize(
    ("_case", "orders", "text"),
    [
        ("more", 120, "+1.0 points"),
        ("less", 80, "−1.0 points"),
        ("almost the same", 99.9, "+0.0 points"),
    ],
)
def test_rate_changes_by_points(_case, orders, text):
    before = Figures(orders=100, unique_clicks=2000)
    now = before._replace(orders=orders)

    assert change_text(metrics.CONVERSION_RATE, now, before) == text
