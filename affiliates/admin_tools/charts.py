"""Charts as SVG: figures that the page's own style sheet draws, without script or style.

The drawing has no text. What it shows is said in a sentence, and in a table on request.
It is stretched to the width of its place; lines keep their width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 600.0
HEIGHT = 160.0
# Of the room of a bar, how much is left empty.
GAP = 0.25
# From zero to the top in so many steps, each with a line across.
STEPS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A day, or whatever the chart goes along: its name, value, and both in words."""

    label: str
    value: int
    text: str
    # The same of the span before, where there is one.
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
    """``sentence`` says what is seen. ``top_text`` is the value at its upper edge.

    The last point is unfinished where ``is_unfinished``: drawn dashed, and said so.
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
        """Of the first, the middle and the last point, as far as they differ."""
        names = [point.label for point in self.points]
        if len(names) < 3:
            return names
        return [names[0], names[len(names) // 2], names[-1]]

    @property
    def grid(self) -> list[str]:
        return [_text(HEIGHT * step / STEPS) for step in range(1, STEPS + 1)]

    @property
    def bars(self) -> list[Bar]:
        """One for each point; of a chart of lines, the room that shows its value."""
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
        """The corners of the line, up to the last day that is over."""
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
        """From the last day that is over to the one that is not."""
        if not self.is_unfinished or len(self.points) < 2:
            return ""
        values = [point.value for point in self.points]
        return " ".join(self._corners(values).split(" ")[-2:])

    @property
    def before_line(self) -> str:
        return self._corners([point.before or 0 for point in self.points])

    def _corners(self, values: Sequence[int]) -> str:
        """In the middle of each day's room; one value alone is a line across its own."""
        room = WIDTH / len(self.points)
        if len(values) == 1:
            y = _text(self._y(values[0]))
            return f"0,{y} {_text(room)},{y}"
        return " ".join(
            f"{_text(room * (place + 0.5))},{_text(self._y(value))}"
            for place, value in enumerate(values)
        )

    def _y(self, value: int) -> float:
        """Below zero is drawn at zero: the table says by how much."""
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
