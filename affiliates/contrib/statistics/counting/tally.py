"""Figures of one day, split into the stored parts. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from affiliates.contrib.statistics.types import CLICK_FIELDS, Dimension, Figures

# Of an affiliate's day, and of a brand's: what is beyond is in no part of its own.
MAX_PARTS, MAX_BRAND_PARTS = 100, 1000
_CAPPED = (
    Dimension.SUB_ID,
    Dimension.REFERRER,
    Dimension.COUNTRY,
    Dimension.PRODUCT,
    Dimension.COUPON,
)

_CLICKS = range(len(CLICK_FIELDS))


class Cell(NamedTuple):
    """The part to which figures belong; no affiliate means all of them."""

    dimension: str
    affiliate_id: int | None
    value: str
    currency: str


Parts = Mapping[Dimension, str]


class Tally:
    """Adds up the figures of every part that the rows of a day belong to."""

    def __init__(self) -> None:
        self._sums: defaultdict[Cell, list[int]] = defaultdict(lambda: [0] * _LENGTH)

    def add(
        self,
        affiliate_id: int,
        figures: Mapping[str, int],
        parts: Parts,
        *,
        products: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
        currency: str = "",
    ) -> None:
        """To the brand, the affiliate, and to each part that has a value."""
        cells = [
            Cell(Dimension.TOTAL, None, "", currency),
            Cell(Dimension.AFFILIATE, affiliate_id, "", currency),
        ]
        for dimension, value in parts.items():
            cells += _cells_of_part(dimension, affiliate_id, value, currency)
        self._add(cells, figures)
        for name, share in products.items():
            cells = [*_cells_of_part(Dimension.PRODUCT, affiliate_id, name, currency)]
            self._add(cells, share)

    def keep_clicks(self, kept: Mapping[Cell, Figures]) -> None:
        """The clicks of the day are those that were counted before."""
        for cell, figures in kept.items():
            for number in _CLICKS:
                if figures[number]:
                    self._sums[cell][number] += figures[number]

    def cells(self) -> dict[Cell, Figures]:
        """All nonzero figures; only the most important if there are too many."""
        figures_by_cell = {
            cell: Figures(*sums) for cell, sums in self._sums.items() if any(sums)
        }
        return {cell: figures_by_cell[cell] for cell in _capped(figures_by_cell)}

    def _add(self, cells: Sequence[Cell], figures: Mapping[str, int]) -> None:
        for name, number in figures.items():
            if number:
                place = _PLACES[name]
                for cell in cells:
                    self._sums[cell][place] += number


def allocate(amount: int, weights: Sequence[int]) -> list[int]:
    """The amount in parts as the weights are, which sum to it to the minor unit."""
    if amount < 0:
        return [-part for part in allocate(-amount, weights)]
    total = sum(weights)
    if total == 0:
        return [amount, *[0] * (len(weights) - 1)] if weights else []
    parts, assigned, reached = [], 0, 0
    for weight in weights:
        reached += weight
        part = amount * reached // total - assigned
        parts.append(part)
        assigned += part
    return parts


def _cells_of_part(
    dimension: Dimension, affiliate_id: int, value: str, currency: str
) -> Iterator[Cell]:
    if value:
        yield Cell(dimension, affiliate_id, value, currency)
        if dimension is not Dimension.LINK:
            yield Cell(dimension, None, value, currency)


def _capped(figures_by_cell: Mapping[Cell, Figures]) -> Iterator[Cell]:
    values: defaultdict[tuple[str, int | None], defaultdict[str, list[Cell]]]
    values = defaultdict(lambda: defaultdict(list))
    for cell in figures_by_cell:
        if cell.dimension in _CAPPED:
            values[cell.dimension, cell.affiliate_id][cell.value].append(cell)
        else:
            yield cell
    for (_, affiliate_id), by_value in values.items():
        limit = MAX_BRAND_PARTS if affiliate_id is None else MAX_PARTS
        for cells in _most_important(by_value, figures_by_cell, limit):
            yield from cells


def _most_important(
    by_value: Mapping[str, list[Cell]],
    figures_by_cell: Mapping[Cell, Figures],
    limit: int,
) -> Iterable[list[Cell]]:
    if len(by_value) <= limit:
        return by_value.values()

    def importance(value: str) -> tuple[int, int, str]:
        figures = [figures_by_cell[cell] for cell in by_value[value]]
        earned = sum(
            figure.sales + figure.orders + figure.signups for figure in figures
        )
        return -earned, -sum(figure.clicks for figure in figures), value

    return [by_value[value] for value in sorted(by_value, key=importance)[:limit]]


_LENGTH = len(Figures._fields)
_PLACES = {name: number for number, name in enumerate(Figures._fields)}
