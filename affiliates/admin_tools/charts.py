"""Charts as SVG: figures that the page's own style sheet draws, without script or style.

The drawing has no text. A sentence describes it, and a table on request. It is
stretched to the available width; lines keep their thickness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 600.0
HEIGHT = 160.0
# The empty share of a bar's width.
GAP = 0.25
# The number of steps from zero to the top, each with a horizontal line.
STEPS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A day or another step of the chart: its name, its value, and a text of both."""

    label: str
    value: int
    text: str
    # The value in the previous span, if there is one.
    before: int | None = None
    before_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    x: str
    y: str
    width: str
    height: str
    room_x: str
    room_width: str
    point: Point
    is_unfinished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """``sentence`` describes the chart. ``top_text`` is the value at its upper edge.

    If ``is_unfinished``, the last point is drawn dashed and described as unfinished.
    """

    title: str
    sentence: str
    what: str
    before_what: str
    points: Sequence[Point]
    top: int
    top_text: str
    is_unfinished: bool = False
    is_bars: bool = False

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
        return [_text(HEIGHT * step / STEPS) for step in range(1, STEPS + 1)]

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
        return HEIGHT * (1 - max(0, value) / self.top)


def top_of(points: Sequence[Point]) -> int:
    """A round number, in the values' own unit, that none of them exceeds; at least one."""
    highest = max(1, *(max(point.value, point.before or 0) for point in points), 1)
    power: int = 10 ** (len(str(highest)) - 1)
    return next(
        power * tenths // 10
        for tenths in (10, 15, 20, 25, 30, 40, 50, 60, 80, 100)
        if power * tenths // 10 >= highest
    )


def _text(value: float) -> str:
    return f"{value:.1f}"
