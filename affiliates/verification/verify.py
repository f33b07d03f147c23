"""Checks sales, commissions, payouts and the ledger for agreement. Only reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max, Min, QuerySet
from moneyed import CurrencyDoesNotExist

from affiliates.verification.checks import CHECKS
from affiliates.verification.faults import Check, Rule, every, within
from affiliates.verification.guards import faulty_guards

UNREADABLE = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    CurrencyDoesNotExist,
)


class Finding(NamedTuple):
    """A row and what is wrong with it."""

    row: str
    meaning: str


class Verification:
    """One reading of the whole program, or of one brand's part of it.

    ``counts`` says how many rows of each kind have been read.
    """

    def __init__(
        self, *, brand_id: int | None = None, checks: Sequence[Check] = CHECKS
    ) -> None:
        self._brand_id = brand_id
        self._checks = checks
        self.counts: Counter[str] = Counter()

    def total(self) -> int:
        return sum(self._rows(check).count() for check in self._checks)

    def findings(self, *, on_row: Callable[[int], None]) -> Iterator[Finding]:
        """Yields each finding. ``on_row`` is called with the number of rows read so far."""
        with _one_moment():
            for name, fault in faulty_guards():
                yield Finding(f"The trigger {name}", fault)
            done = 0
            for check in self._checks:
                for ids in self._ranges(check):
                    rows = within(self._rows(check), ids)
                    for rule in check.rules:
                        yield from _found_by(rule, rows, ids)
                    count = rows.count()
                    done += count
                    self.counts[check.label] += count
                    on_row(done)

    def _ranges(self, check: Check) -> Iterator[range]:
        bounds = self._rows(check).aggregate(first=Min("pk"), last=Max("pk"))
        if bounds["first"] is None:
            return
        stop = bounds["last"] + 1
        for start in range(bounds["first"], stop, check.at_once):
            yield range(start, min(start + check.at_once, stop))

    def _rows(self, check: Check) -> QuerySet[Any]:
        rows = every(check.model).filter(check.only)
        if self._brand_id is None:
            return rows
        return rows.filter(**{check.brand: self._brand_id})


def _found_by(rule: Rule, rows: QuerySet[Any], ids: range) -> Iterator[Finding]:
    """A document without a required value is a finding as well."""
    for row, faults in rule(rows, ids):
        try:
            for fault in faults:
                yield Finding(row, fault)
        except UNREADABLE:
            yield Finding(row, "rests on a document that cannot be read.")


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
