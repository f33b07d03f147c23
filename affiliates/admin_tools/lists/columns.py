"""The columns of a list that its address chooses: ``?_columns=net&_columns=paid``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

COLUMNS = "_columns"


def chosen_columns(columns: Sequence[Any], chosen: Iterable[str]) -> Sequence[Any]:
    """Returns the chosen ones of the columns, in their order, or all if none is chosen.

    The first one leads to the page of the row, so it is always shown.
    """
    names = {column for column in columns if column in set(chosen)}
    if not names:
        return columns
    return [
        column for place, column in enumerate(columns) if place == 0 or column in names
    ]
