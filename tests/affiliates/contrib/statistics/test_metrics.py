from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.counting.tally import allocate
from affiliates.contrib.statistics.metrics import METRICS
from affiliates.contrib.statistics.types import NOTHING, Figures, Span, Statistics, Step

FIGURES = Figures(
    clicks=1_500,
    human_clicks=1_200,
    unique_clicks=1_000,
    orders=25,
    sales=20,
    reversals=2,
    revenue=100_000,
    reversed_revenue=20_000,
    pending=1_000,
    matured=2_000,
    held=3_000,
    approved=4_000,
    paid=2_000,
    rejected=700,
    taken_back=300,
    discount=4_000,
)


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        (metrics.CLICKS, 1_500, "1,500"),
        (metrics.UNIQUE_CLICKS, 1_000, "1,000"),
        (metrics.NET_REVENUE, 80_000, "€800.00"),
        (metrics.COMMISSION, 12_000, "€120.00"),
        (metrics.COMMISSION_DUE, 4_000, "€40.00"),
        (metrics.COMMISSION_REJECTED, 700, "€7.00"),
        (metrics.CONVERSION_RATE, Decimal("2.5"), "2.5 %"),
        (metrics.EPC, Decimal(12), "€0.12"),
        (metrics.DISCOUNTS, 4_000, "€40.00"),
        (metrics.PROGRAM_COST, 16_000, "€160.00"),
        (metrics.COST_PERCENT, Decimal(20), "20.0 %"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_metric_has_one_value_and_one_text(metric, value, text):
    assert metric.of(FIGURES) == value
    assert metric.text(FIGURES, "EUR") == text


def test_per_cent_is_rounded_and_not_cut():
    figures = NOTHING._replace(orders=8, unique_clicks=12)

    assert metrics.CONVERSION_RATE.text(figures) == "66.7 %"


def test_nothing_is_divided_by_nothing():
    values = {one.name: one.text(NOTHING, "EUR") for one in METRICS}

    assert values["conversion_rate"] == values["epc"] == values["cost_percent"] == "-"
    assert values["clicks"] == "0"


def test_every_metric_says_what_it_is_made_of_and_has_a_name_of_its_own():
    assert len({one.name for one in METRICS}) == len(METRICS) == 25
    assert all(
        one.definition and set(one.fields) <= set(Figures._fields) for one in METRICS
    )


def test_counts_have_no_currency_and_amounts_have_theirs():
    statistics = Statistics(
        {
            "": Figures(clicks=3, orders=2),
            "EUR": Figures(sales=1, revenue=500),
            "JPY": Figures(sales=1, revenue=9),
        }
    )

    assert statistics.currencies == ["EUR", "JPY"]
    assert statistics.counts == Figures(clicks=3, orders=2, sales=2)
    assert statistics.in_currency("JPY") == Figures(
        clicks=3, orders=2, sales=1, revenue=9
    )
    assert not statistics - statistics


def test_span_before_is_as_long_and_ends_the_day_before():
    march = Span(date(2026, 3, 1), date(2026, 3, 31))

    assert march.before() == Span(date(2026, 1, 29), date(2026, 2, 28))


def test_steps_are_cut_by_the_ends_of_the_span():
    span = Span(date(2026, 2, 27), date(2026, 3, 3))

    assert Step.WEEK.parts_of(span) == [
        Span(date(2026, 2, 27), date(2026, 3, 1)),
        Span(date(2026, 3, 2), date(2026, 3, 3)),
    ]
    assert Step.MONTH.parts_of(span) == [
        Span(date(2026, 2, 27), date(2026, 2, 28)),
        Span(date(2026, 3, 1), date(2026, 3, 3)),
    ]


@pytest.mark.parametrize(
    ("amount", "weights", "parts"),
    [
        (100, [1, 1, 1], [33, 33, 34]),
        (7, [0, 0], [7, 0]),
        (0, [5], [0]),
        (9, [10, -1], [10, -1]),
        (5, [], []),
    ],
)
def test_parts_sum_to_the_whole(amount, weights, parts):
    assert allocate(amount, weights) == parts
