from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from affiliates.admin_tools.charts import Chart, Point, top_of

POINTS = [
    Point(label="1 Mar", value=0, text="0", before=10, before_text="10"),
    Point(label="2 Mar", value=20, text="20", before=40, before_text="40"),
    Point(label="3 Mar", value=40, text="40", before=0, before_text="0"),
]
CHART = Chart(
    title="Clicks",
    sentence="60 clicks from 1 to 3 March.",
    what="Clicks",
    before_what="Before",
    points=POINTS,
    top=40,
    top_text="40",
)


def drawn(chart: Chart) -> str:
    return render_to_string("affiliates/admin/chart.html", {"chart": chart})


def test_line_goes_through_the_middle_of_each_days_room():
    assert CHART.line == "100.0,160.0 300.0,80.0 500.0,0.0"
    assert CHART.before_line == "100.0,120.0 300.0,0.0 500.0,160.0"
    assert CHART.area == "100.0,160.0 100.0,160.0 300.0,80.0 500.0,0.0 500.0,160.0"


def test_the_unfinished_day_is_drawn_by_itself():
    chart = replace(CHART, is_unfinished=True)

    assert chart.line == "100.0,160.0 300.0,80.0"
    assert chart.unfinished_line == "300.0,80.0 500.0,0.0"
    assert [bar.is_unfinished for bar in chart.bars] == [False, False, True]
    assert "3 Mar (so far)" in drawn(chart)


def test_a_day_alone_is_a_line_across():
    chart = replace(CHART, points=POINTS[1:2])

    assert chart.line == "0,80.0 600.0,80.0"
    assert replace(chart, is_unfinished=True).unfinished_line == ""


def test_bars_stand_on_the_ground():
    [_, bar, _] = replace(CHART, is_bars=True).bars

    assert (bar.x, bar.y, bar.width, bar.height) == ("225.0", "80.0", "150.0", "80.0")


def test_what_is_below_zero_is_drawn_at_zero_and_told_in_the_table():
    point = Point(label="1 Mar", value=-5, text="-5")
    chart = replace(CHART, points=[point, POINTS[1]])

    assert chart.line.startswith("150.0,160.0 ")
    assert "<td>-5</td>" in drawn(chart)


@pytest.mark.parametrize(
    ("highest", "top"),
    [(0, 1), (1, 1), (7, 8), (11, 15), (21, 25), (99, 100), (101, 150), (8001, 10_000)],
)
def test_top_is_round_and_not_exceeded(highest, top):
    points = [Point(label="", value=highest, text=""), POINTS[0]]

    assert top_of([replace(point, before=None) for point in points]) == top


def test_the_span_before_counts_for_the_top():
    assert top_of(POINTS) == 40


def test_it_is_said_in_a_sentence_and_a_table_and_has_no_script_or_style():
    page = drawn(CHART)

    assert CHART.sentence in page
    assert len(re.findall(r'<th scope="row">', page)) == 3
    assert re.findall(r"<script|<style|\sstyle=|\son\w+=", page) == []
    assert '<svg class="affiliates-chart-drawing"' in page


def test_no_column_for_a_span_before_that_there_is_not():
    points = [replace(one, before=None, before_text="") for one in POINTS]

    assert "Before" not in drawn(replace(CHART, points=points))
