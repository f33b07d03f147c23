"""Checks sales, commissions, payouts and the books against each other. Changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max, Min, Model, QuerySet

from affiliates.commissions.models import Commission
from affiliates.ledger.models import LedgerPosting
from affiliates.payouts.models import Payout
from affiliates.program.models import Affiliate
from affiliates.sales.models import Sale
from affiliates.verification import rules
from affiliates.verification import selectors as facts
from affiliates.verification.guards import missing_guards

ROWS_AT_ONCE = 20_000


class Finding(NamedTuple):
    """A row, and what is wrong with it."""

    row: str
    meaning: str


class _Check(NamedTuple):
    """Rows of one kind: what is read of them, and how it is judged and named."""

    label: str
    model: type[Model]
    read: Callable[[QuerySet[Any], range], Iterator[Any]]
    judge: Callable[[Any], Iterator[str]]
    name: Callable[[Any], str]


_CHECKS = (
    _Check(
        label="sales",
        model=Sale,
        read=facts.sale_facts,
        judge=rules.judge_sale,
        name=lambda row: f"Sale {row.id}",
    ),
    _Check(
        label="commissions",
        model=Commission,
        read=facts.commission_facts,
        judge=rules.judge_commission,
        name=lambda row: f"Commission {row.id}",
    ),
    _Check(
        label="payouts",
        model=Payout,
        read=facts.payout_facts,
        judge=rules.judge_payout,
        name=lambda row: f"Payout {row.id}",
    ),
    _Check(
        label="postings",
        model=LedgerPosting,
        read=facts.posting_facts,
        judge=rules.judge_posting,
        name=lambda row: f"Posting {row.id} ({row.key})",
    ),
    _Check(
        label="balances",
        model=Affiliate,
        read=facts.balance_facts,
        judge=rules.judge_balance,
        name=lambda row: (
            f"The {row.account} balance of affiliate {row.affiliate_id} in {row.currency}"
        ),
    ),
)


class Verification:
    """One reading of the whole program, or of one brand's part of it.

    ``counts`` says how many rows of each kind have been judged.
    """

    def __init__(self, *, brand_id: int | None = None) -> None:
        self._brand_id = brand_id
        self.counts: Counter[str] = Counter()

    def total(self) -> int:
        """About how many rows are to be judged: an affiliate may have many balances."""
        return sum(self._rows(check).count() for check in _CHECKS)

    def findings(self, *, on_row: Callable[[int], None]) -> Iterator[Finding]:
        """Each finding as it is met. ``on_row`` hears how many rows have been judged."""
        with _one_moment():
            for name in missing_guards():
                yield Finding(
                    f"The trigger {name}",
                    "is missing or switched off: rows can be changed unseen.",
                )
            done = 0
            for check in _CHECKS:
                for row in self._read(check):
                    for meaning in check.judge(row):
                        yield Finding(check.name(row), meaning)
                    done += 1
                    self.counts[check.label] += 1
                    on_row(done)

    def _read(self, check: _Check) -> Iterator[Any]:
        rows = self._rows(check)
        for ids in self._ranges(check):
            yield from check.read(rows, ids)

    def _ranges(self, check: _Check) -> Iterator[range]:
        bounds = self._rows(check).aggregate(first=Min("pk"), last=Max("pk"))
        if bounds["first"] is None:
            return
        stop = bounds["last"] + 1
        for start in range(bounds["first"], stop, ROWS_AT_ONCE):
            yield range(start, min(start + ROWS_AT_ONCE, stop))

    def _rows(self, check: _Check) -> QuerySet[Any]:
        rows = check.model._base_manager.order_by()
        return rows if self._brand_id is None else rows.filter(brand_id=self._brand_id)


@contextmanager
def _one_moment() -> Iterator[None]:
    """Everything read is of one moment, and nobody who writes is kept waiting.

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
