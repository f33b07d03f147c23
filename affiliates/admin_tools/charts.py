"""Charts as SVG: figures that the page's own style sheet draws, without script or style.

The drawing has no text. A sentence describes it, and a table on request. It is
stretched to the available width; lines keep their thickness. ``chart.js`` shows the
titles of the days in a box, for pointers and arrow keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 600.0
HEIGHT = 160.0
# The empty share of a bar's width.
GAP = 0.25
# Tops of the value axis, in tenths of a power of ten. Halves are round too, and the
# highest value reaches at least 80 % of the top.
TOPS = (10, 12, 15, 16, 20, 24, 25, 30, 36, 40, 50, 60, 70, 80, 100)
# The largest odd top: one of 5 or more would have no whole middle.
MAX_ODD_TOP = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A day or another step of the chart: its name, its value, and a text of both."""

    label: str
    value: int
    text: str
    # The same day of the previous span, if there is one.
    before: int | None = None
    before_text: str = ""
    before_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    x: str
    y: str
    width: str
    height: str
    room_x: str
    room_width: str
    middle: str
    point: Point
    is_unfinished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """``sentence`` describes the chart, ``step`` names its points: Day, Week or Month.

    ``axis`` are the texts of the top, the middle and zero; empty if there is no mark.
    A last point that is not over is drawn dashed; ``unfinished`` describes it.
    """

    title: str
    sentence: str
    what: str
    before_what: str
    step: str
    points: Sequence[Point]
    top: int
    axis: Sequence[str]
    unfinished: str = ""
    is_bars: bool = False

    @property
    def is_unfinished(self) -> bool:
        return bool(self.unfinished)

    @property
    def has_before(self) -> bool:
        return any(point.before is not None for point in self.points)

    @property
    def labels(self) -> list[str]:
        """Labels of the first, the middle and the last point, if they differ."""
        names = [point.label for point in self.points]
        if len(names) < 3:
            return names
        return [names[0], names[len(names) // 2], names[-1]]

    @property
    def grid(self) -> list[str]:
        """Heights of the lines, one beside each text of the axis."""
        marks = enumerate(self.axis)
        return [_text(HEIGHT * place / 2) for place, text in marks if text]

    @property
    def bars(self) -> list[Bar]:
        """One bar for each point; in a line chart, the area that shows its value."""
        room = WIDTH / len(self.points)
        last = len(self.points) - 1
        return [
            Bar(
                x=_text(room * (place + GAP / 2)),
                y=_text(self._y(point.value)),
                width=_text(room * (1 - GAP)),
                height=_text(HEIGHT - self._y(point.value)),
                room_x=_text(room * place),
                room_width=_text(room),
                middle=_text(room * (place + 0.5)),
                point=point,
                is_unfinished=self.is_unfinished and place == last,
            )
            for place, point in enumerate(self.points)
        ]

    @property
    def line(self) -> str:
        """The points of the line, up to the last finished day."""
        values = [point.value for point in self.points]
        return self._corners(values[:-1] if self.is_unfinished else values)

    @property
    def area(self) -> str:
        corners = self.line
        if not corners:
            return ""
        right = corners.rpartition(" ")[2].partition(",")[0]
        left = corners.partition(",")[0]
        return f"{left},{_text(HEIGHT)} {corners} {right},{_text(HEIGHT)}"

    @property
    def unfinished_line(self) -> str:
        """The line from the last finished day to the unfinished one."""
        if not self.is_unfinished or len(self.points) < 2:
            return ""
        values = [point.value for point in self.points]
        return " ".join(self._corners(values).split(" ")[-2:])

    @property
    def before_line(self) -> str:
        return self._corners([point.before or 0 for point in self.points])

    def _corners(self, values: Sequence[int]) -> str:
        """Points in the middle of each day; a single value is a horizontal line."""
        room = WIDTH / len(self.points)
        if len(values) == 1:
            y = _text(self._y(values[0]))
            return f"0,{y} {_text(room)},{y}"
        return " ".join(
            f"{_text(room * (place + 0.5))},{_text(self._y(value))}"
            for place, value in enumerate(values)
        )

    def _y(self, value: int) -> float:
        """Draws negative values at zero: the table shows them."""
        return HEIGHT * (1 - max(0, value) / max(1, self.top))


def top_of(points: Sequence[Point]) -> int:
    """A round number, in the values' own unit, that none of them exceeds; or zero."""
    highest = max(max(point.value, point.before or 0) for point in points)
    if highest <= 0:
        return 0
    power: int = 10 ** (len(str(highest)) - 1)
    tops = (power * tenths // 10 for tenths in TOPS)
    return next(
        top for top in tops if top >= highest and (top % 2 == 0 or top <= MAX_ODD_TOP)
    )


def _text(value: float) -> str:
    return f"{value:.1f}"
