"""When an order's lines are due again: arithmetic on months, counted from the order.

Every line runs by its own billing cycle. An order's second period of a monthly line
begins a month after the order, whenever its invoice is issued: late invoices shift no
period. In a shorter month its last day takes the place of the days that it lacks.
"""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

SETUP = "setup"
MONTHS = {"monthly": 1, "annually": 12, "biennially": 24}


class Line(Protocol):
    product_ref: str
    kind: str
    billing_cycle: str


class Term(NamedTuple):
    """A recurring product of an order, which a basket holds once, and its months."""

    product_ref: str
    months: int


def is_recurring(line: Line) -> bool:
    return line.kind != SETUP and line.billing_cycle in MONTHS


def invoiced_periods(lines: Iterable[Line]) -> Counter[Term]:
    """How many periods of each recurring product the order's invoices cover."""
    return Counter(
        Term(line.product_ref, MONTHS[line.billing_cycle])
        for line in lines
        if is_recurring(line)
    )


def next_renewal_at(
    periods: Mapping[Term, int], *, began_at: datetime
) -> datetime | None:
    """When the first of the paid-up periods ends; None when nothing recurs."""
    ends = _period_ends(periods, began_at=began_at)
    return min(ends.values(), default=None)


def due_products(
    periods: Mapping[Term, int], *, began_at: datetime, by: datetime
) -> frozenset[str]:
    """The products whose invoiced periods have ended by then."""
    ends = _period_ends(periods, began_at=began_at)
    return frozenset(term.product_ref for term, end in ends.items() if end <= by)


def add_months(moment: datetime, months: int) -> datetime:
    month_index = moment.month - 1 + months
    year, month = moment.year + month_index // 12, month_index % 12 + 1
    last_day = calendar.monthrange(year, month)[1]
    return moment.replace(year=year, month=month, day=min(moment.day, last_day))


def _period_ends(
    periods: Mapping[Term, int], *, began_at: datetime
) -> dict[Term, datetime]:
    return {
        term: add_months(began_at, term.months * count)
        for term, count in periods.items()
    }
