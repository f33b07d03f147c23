"""Facts of runs, statements and answers, read for a range of rows at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet

from affiliates.contrib.payout_runs.models import (
    PayoutAnswerLine,
    PayoutRunLine,
)
from affiliates.contrib.payout_runs.rules import RunStatus
from affiliates.payouts.models import Payout
from affiliates.verification.rules.runs import (
    AnswerFacts,
    RunFacts,
    SeriesFacts,
    StatementFacts,
)
from affiliates.verification.selectors.ranges import within


def series_facts(series: QuerySet[Any], ids: range) -> Iterator[SeriesFacts]:
    own = Q(statements__brand=F("brand")) & (
        Q(affiliate__isnull=True) | Q(statements__payout__affiliate=F("affiliate"))
    )
    rows = within(series, ids).annotate(
        count=Count("statements"),
        highest=Max("statements__number", default=0),
        own=Count("statements", filter=own),
    )
    for pk, last, count, highest, of_owner in rows.values_list(
        "pk", "last_number", "count", "highest", "own"
    ):
        yield SeriesFacts(pk, last, count, highest, count - of_owner)


def statement_facts(statements: QuerySet[Any], ids: range) -> Iterator[StatementFacts]:
    rows = within(statements, ids).values_list(
        "pk",
        "name",
        "kind",
        "amount",
        "currency",
        "brand_id",
        "payout__amount",
        "payout__currency",
        "payout__brand_id",
        "payout__status",
        "document__total",
    )
    for row in rows:
        payout = (row[6], row[7], row[8])
        yield StatementFacts._make((*row[:6], payout, *row[9:]))


def run_facts(runs: QuerySet[Any], ids: range) -> Iterator[RunFacts]:
    lines = within(PayoutRunLine.objects.all(), ids, "run_id").values_list("run_id")
    counts = _count(lines)
    agrees = Q(
        payout__brand=F("run__brand"),
        payout__affiliate=F("affiliate"),
        payout__currency=F("currency"),
        payout__amount=F("amount"),
    )
    foreign = _count(lines.filter(payout__isnull=False).exclude(agrees))
    live = PayoutRunLine.objects.exclude(run__status=RunStatus.DISCARDED)
    twice = (
        live.filter(payout__isnull=False)
        .order_by()
        .values("payout_id")
        .annotate(runs=Count("pk"))
        .filter(runs__gt=1)
        .values("payout_id")
    )
    shared = _count(
        lines.exclude(run__status=RunStatus.DISCARDED).filter(payout_id__in=twice)
    )
    in_files = Payout.objects.filter(batch__run_id__in=ids).exclude(
        run_lines__run=F("batch__run")
    )
    files = _count(in_files.values_list("batch__run_id"))
    rows = within(runs, ids).values_list(
        "pk", "status", "is_for_two", "prepared_by_id", "approved_by_id", "line_count"
    )
    for row in rows:
        pk = row[0]
        yield RunFacts._make((*row, counts[pk], foreign[pk], shared[pk], files[pk]))


def answer_facts(answers: QuerySet[Any], ids: range) -> Iterator[AnswerFacts]:
    lines = within(PayoutAnswerLine.objects.all(), ids, "answer_id")
    counts = _count(lines.values_list("answer_id"))
    foreign = _count(
        lines.filter(payout__isnull=False)
        .exclude(payout__brand=F("answer__brand"))
        .values_list("answer_id")
    )
    steps = defaultdict(list)
    found = lines.filter(payout__isnull=False).order_by()
    for pk, *step in found.values_list(
        "answer_id", "step", "payout__status"
    ).distinct():
        steps[pk].append((step[0], step[1]))
    rows = within(answers, ids).values_list("pk", "name", "applied_at", "entry_count")
    for pk, name, applied_at, entry_count in rows:
        is_applied = applied_at is not None
        yield AnswerFacts(
            pk, name, is_applied, entry_count, counts[pk], foreign[pk], steps[pk]
        )


def _count(rows: QuerySet[Any, Any]) -> Counter[int]:
    """Of rows of one column: how often each value is there."""
    counted = rows.order_by().annotate(count=Count("pk", distinct=True))
    return Counter(dict(counted))
