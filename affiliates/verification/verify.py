"""Checks sales, commissions, payouts and the ledger for agreement. Only reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max, Min, QuerySet

from affiliates.verification.checks import CHECKS, Check
from affiliates.verification.guards import faulty_guards

UNREADABLE = (ArithmeticError, AttributeError, KeyError, TypeError, ValueError)


class Finding(NamedTuple):
    """A row and its fault."""

    row: str
    meaning: str


class Verification:
    """One reading of the whole program, or of one brand's part of it.

    ``counts`` says how many rows of each kind have been judged.
    """

    def __init__(
        self, *, brand_id: int | None = None, checks: Sequence[Check] = CHECKS
    ) -> None:
        self._brand_id = brand_id
        self._checks = checks
        self.counts: Counter[str] = Counter()

    def total(self) -> int:
        """About how many rows are to be judged: an affiliate may have many balances."""
        return sum(self._rows(check).count() for check in self._checks)

    def findings(self, *, on_row: Callable[[int], None]) -> Iterator[Finding]:
        """Yields each finding. ``on_row`` is called with the number of rows judged."""
        with _one_moment():
            for name, fault in faulty_guards():
                yield Finding(f"The trigger {name}", fault)
            done = 0
            for check in self._checks:
                for row in self._read(check):
                    for meaning in _judged(check, row):
                        yield Finding(check.name(row), meaning)
                    done += 1
                    self.counts[check.label] += 1
                    on_row(done)

    def _read(self, check: Check) -> Iterator[Any]:
        rows = self._rows(check)
        for ids in self._ranges(check):
            yield from check.read(rows, ids)

    def _ranges(self, check: Check) -> Iterator[range]:
        bounds = self._rows(check).aggregate(first=Min("pk"), last=Max("pk"))
        if bounds["first"] is None:
            return
        stop = bounds["last"] + 1
        for start in range(bounds["first"], stop, check.at_once):
            yield range(start, min(start + check.at_once, stop))

    def _rows(self, check: Check) -> QuerySet[Any]:
        rows = check.model._base_manager.order_by()
        if self._brand_id is None:
            return rows
        return rows.filter(**{check.brand: self._brand_id})


def _judged(check: Check, row: Any) -> Iterator[str]:
    """A document without a required value is a finding as well."""
    try:
        yield from check.judge(row)
    except UNREADABLE:
        yield "holds a document that cannot be read."


@contextmanager
def _one_moment() -> Iterator[None]:
    """Reads everything as of one moment, without blocking writers.

    Not by ``atomic``, which takes SQLite's only write lock and reads what others commit
    meanwhile on PostgreSQL: half of what they write would look like a fault.
    """
    if connection.in_atomic_block:
        yield
        return
    begin = {
        "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        "sqlite": "BEGIN DEFERRED",
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(begin)
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
