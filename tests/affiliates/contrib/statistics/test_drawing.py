"""What a chart says of its days in a sentence."""

from __future__ import annotations

from datetime import date

import pytest
from django.utils import translation

from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.drawing import chart_of, text_of
from affiliates.contrib.statistics.metrics import HUMAN_CLICKS
from affiliates.contrib.statistics.types import Figures, Point, Statistics


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
            before_words="September",
            is_bars=True,
        )

    assert chart.sentence == sentence


def test_rates_of_counts_are_of_all_currencies_and_those_of_amounts_of_one():
    found = Statistics(
        {
            "EUR": Figures(sales=7, reversals=1, revenue=10_000, approved=2_000),
            "USD": Figures(sales=1, revenue=10_000, approved=1_000),
        }
    )

    assert text_of(metrics.REFUND_RATE, found, "EUR") == "12.5 %"
    assert text_of(metrics.COST_PERCENT, found, "EUR") == "20.0 %"
