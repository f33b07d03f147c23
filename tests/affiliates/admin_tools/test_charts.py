from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from affiliates.admin_tools.charts import Chart, Point, top_of

POINTS = [
    Point(label=f"{day} Mar", value=value, text=str(value), **before)
    for day, value, before in (
        (1, 0, {"before": 10, "before_text": "10", "before_label": "26 Feb"}),
        (2, 20, {"before": 40, "before_text": "40", "before_label": "27 Feb"}),
        (3, 40, {"before": 0, "before_text": "0", "before_label": "28 Feb"}),
    )
]
CHART = Chart(
    title="Clicks",
    sentence="60 clicks from 1 to 3 March.",
    what="Clicks",
    before_what="Before",
    step="Day",
    points=POINTS,
    top=40,
    axis=["40", "20", "0"],
)


def drawn(chart: Chart) -> str:
    return render_to_string("affiliates/admin/chart.html", {"chart": chart})


def test_line_goes_through_the_middle_of_each_days_room():
    assert CHART.line == "100.0,160.0 300.0,80.0 500.0,0.0"
    assert CHART.before_line == "100.0,120.0 300.0,0.0 500.0,160.0"
    assert CHART.area == "100.0,160.0 100.0,160.0 300.0,80.0 500.0,0.0 500.0,160.0"


def test_the_unfinished_day_is_drawn_by_itself():
    chart = replace(CHART, unfinished="Today, so far")

    assert chart.line == "100.0,160.0 300.0,80.0"
    assert chart.unfinished_line == "300.0,80.0 500.0,0.0"
    assert [bar.is_unfinished for bar in chart.bars] == [False, False, True]
    page = drawn(chart)
    assert "3 Mar (so far)" in page
    assert "Today, so far" in page


def test_a_day_alone_is_a_line_across():
    chart = replace(CHART, points=POINTS[1:2])

    assert chart.line == "0,80.0 600.0,80.0"
    assert replace(chart, unfinished="Today, so far").unfinished_line == ""


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
    [
        *[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 8), (11, 12), (21, 24)],
        *[(99, 100), (101, 120), (250, 250), (8001, 10_000)],
    ],
)
def test_top_is_round_and_not_exceeded(highest, top):
    points = [Point(label="", value=highest, text=""), POINTS[0]]

    assert top_of([replace(point, before=None) for point in points]) == top


def test_the_highest_value_reaches_80_percent_of_a_top_with_a_whole_middle():
    tops = {
        highest: top_of([Point(label="", value=highest, text="")])
        for highest in range(1, 3_000)
    }

    assert [one for one, top in tops.items() if not 0.8 <= one / top <= 1] == []
    assert [top for top in tops.values() if top % 2] == [1, 3]


def test_each_text_of_the_axis_has_its_line():
    page = drawn(CHART)

    assert "<span>40</span><span>20</span><span>0</span>" in page
    assert re.findall(r'y1="([\d.]+)"', page) == ["0.0", "80.0", "160.0"]
    assert replace(CHART, axis=["1", "", "0"]).grid == ["0.0", "160.0"]


def test_a_day_names_its_value_and_the_same_day_of_the_span_before():
    titles = re.findall(r"<title>([^<]+)</title>", drawn(CHART))

    assert titles[1] == "2 Mar\n20\n27 Feb: 40"


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
