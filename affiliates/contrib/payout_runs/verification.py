"""Runs and answers must agree with the payouts that they pay."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet

from affiliates.contrib.payout_runs.models import (
    PayoutAnswer,
    PayoutAnswerLine,
    PayoutRun,
    PayoutRunFile,
    PayoutRunLine,
)
from affiliates.contrib.payout_runs.rules import RunStatus, Step
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.verification.checks import CHECKS, Check
from affiliates.verification.guards import BOTH, GUARDS, Guard
from affiliates.verification.selectors.deep import SEALED
from affiliates.verification.selectors.ranges import within

STATUS_AFTER: Mapping[str, Sequence[PayoutStatus]] = {
    Step.CONFIRM: (PayoutStatus.PAID, PayoutStatus.RETURNED),
    Step.REJECT: (PayoutStatus.REJECTED,),
    Step.RETURN: (PayoutStatus.RETURNED,),
}


class RunFacts(NamedTuple):
    """A run, its lines and files, and how many of them do not agree with the payouts."""

    id: int
    status: str
    is_for_two: bool
    prepared_by_id: Any
    approved_by_id: Any
    line_count: int
    lines: int
    foreign_lines: int
    shared_payouts: int
    foreign_in_files: int


class AnswerFacts(NamedTuple):
    """An answer, how many lines it has, and what its lines did to which status."""

    id: int
    name: str
    is_applied: bool
    entry_count: int
    lines: int
    foreign_lines: int
    steps: Sequence[tuple[str, str]]


def judge_run(facts: RunFacts) -> Iterator[str]:
    if facts.status != RunStatus.DRAFTING and facts.lines != facts.line_count:
        yield f"looked at {facts.line_count} balances, but {facts.lines} are on record."
    if facts.foreign_lines:
        yield "pays another brand, affiliate, amount or currency than its payouts."
    if facts.shared_payouts:
        yield "pays what another run pays."
    if facts.foreign_in_files:
        yield "has a file with payouts that nobody approved with it."
    is_released = facts.status in (RunStatus.APPROVED, RunStatus.CLOSED)
    people = {facts.prepared_by_id, facts.approved_by_id} - {None}
    if is_released and facts.is_for_two and len(people) < 2:
        yield "was to be approved by a second person, and was not."


def judge_answer(facts: AnswerFacts) -> Iterator[str]:
    if facts.is_applied and facts.lines != facts.entry_count:
        yield f"has {facts.entry_count} lines, but {facts.lines} are on record."
    if facts.foreign_lines:
        yield "did something to a payout of another brand."
    for step, status in facts.steps:
        if step in STATUS_AFTER and status not in STATUS_AFTER[step]:
            yield f"did {step} to a payout that is {status}."


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
    in_files = Payout.objects.filter(batch__in_run__run_id__in=ids).exclude(
        run_lines__run=F("batch__in_run__run")
    )
    files = _count(in_files.values_list("batch__in_run__run_id"))
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


GUARDS += [
    Guard(PayoutRunLine, BOTH, "discard the run, or reject the payout."),
    Guard(PayoutAnswerLine, BOTH, "apply a further answer."),
]
SEALED |= {
    PayoutRun: "brand_id",
    PayoutRunLine: "run__brand_id",
    PayoutRunFile: "run__brand_id",
    PayoutAnswer: "brand_id",
    PayoutAnswerLine: "answer__brand_id",
}
CHECKS += [
    Check(
        label="payout runs",
        model=PayoutRun,
        read=run_facts,
        judge=judge_run,
        name=lambda row: f"Payout run {row.id}",
    ),
    Check(
        label="payout answers",
        model=PayoutAnswer,
        read=answer_facts,
        judge=judge_answer,
        name=lambda row: f"Payout answer {row.id} ({row.name})",
    ),
]
