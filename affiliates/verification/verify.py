"""Checks sales, commissions, payouts and the ledger for agreement. Only reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max, Min, QuerySet
from moneyed import CurrencyDoesNotExist

from affiliates.verification.checks import CHECKS
from affiliates.verification.faults import Check, Rule, every, within
from affiliates.verification.guards import faulty_guards
from affiliates.verification.proved.proofs import Proofs

UNREADABLE = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    CurrencyDoesNotExist,
)


class VerificationFinding(NamedTuple):
    """A row and what is wrong with it."""

    row: str
    meaning: str


class Verification:
    """One reading of the whole program, or of one brand's part of it.

    ``counts`` says how many rows of each kind have been read, and ``skipped`` how many
    were not, because ``proofs`` knows them.
    """

    def __init__(
        self,
        *,
        brand_id: int | None = None,
        checks: Sequence[Check] = CHECKS,
        proofs: Proofs | None = None,
    ) -> None:
        self._brand_id = brand_id
        self._checks = checks
        self._proofs = proofs
        self.skipped = 0
        self.counts: Counter[str] = Counter()

    def total(self) -> int:
        return sum(self._rows(check).count() for check in self._checks)

    def findings(
        self, *, on_row: Callable[[int], None]
    ) -> Iterator[VerificationFinding]:
        """Yields each finding. ``on_row`` is called with the number of rows read so far."""
        with _one_moment():
            for name, fault in faulty_guards():
                yield VerificationFinding(f"The trigger {name}", fault)
            done = 0
            for check in self._checks:
                for ids in self._ranges(check):
                    done += yield from self._of_range(check, ids)
                    on_row(done)

    def _of_range(
        self, check: Check, ids: range
    ) -> Generator[VerificationFinding, None, int]:
        """Returns the number of rows."""
        rows = within(self._rows(check), ids)
        count = rows.count()
        if self._proofs is not None and self._proofs.is_proved(check, ids):
            self.skipped += count
            return count
        for rule in check.rules:
            for finding in _found_by(rule, rows, ids):
                if self._proofs is not None:
                    self._proofs.refute(check, ids)
                yield finding
        self.counts[check.label] += count
        return count

    def _ranges(self, check: Check) -> Iterator[range]:
        bounds = self._rows(check).aggregate(first=Min("pk"), last=Max("pk"))
        if bounds["first"] is None:
            return
        # Ranges are the same ones each time, whatever is deleted before them.
        first = bounds["first"] - bounds["first"] % check.at_once
        for start in range(first, bounds["last"] + 1, check.at_once):
            yield range(start, start + check.at_once)

    def _rows(self, check: Check) -> QuerySet[Any]:
        rows = every(check.model).filter(check.only)
        if self._brand_id is None:
            return rows
        return rows.filter(**{check.brand: self._brand_id})


def _found_by(
    rule: Rule, rows: QuerySet[Any], ids: range
) -> Iterator[VerificationFinding]:
    """A document without a required value is a finding as well."""
    for row, faults in rule(rows, ids):
        try:
            for fault in faults:
                yield VerificationFinding(row, fault)
        except UNREADABLE:
            yield VerificationFinding(row, "rests on a document that cannot be read.")


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
