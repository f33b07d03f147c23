"""Rules of agreement between payouts, runs, statements and answers. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from affiliates.contrib.payout_runs.rules import (
    RunStatus,
    Step,
)
from affiliates.payouts.rules import PayoutStatus, StatementKind

STATUS_AFTER: Mapping[str, Sequence[PayoutStatus]] = {
    Step.CONFIRM: (PayoutStatus.PAID, PayoutStatus.RETURNED),
    Step.REJECT: (PayoutStatus.REJECTED,),
    Step.RETURN: (PayoutStatus.RETURNED,),
}


class SeriesFacts(NamedTuple):
    """A series, the statements in it, and how many of those are somebody else's."""

    id: int
    last_number: int
    statements: int
    highest: int
    foreign_count: int


class StatementFacts(NamedTuple):
    """A statement beside its payout: each as brand, affiliate... and its kind."""

    id: int
    name: str
    kind: str
    amount: int
    currency: str
    brand_id: int
    payout: tuple[int, str, int]
    payout_status: str
    total: Any


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


def judge_series(facts: SeriesFacts) -> Iterator[str]:
    if not facts.last_number == facts.statements == facts.highest:
        yield (
            f"has given {facts.last_number} numbers, but holds {facts.statements} statements "
            f"up to {facts.highest}: one is missing or was never given."
        )
    if facts.foreign_count:
        yield "holds a statement of another brand or affiliate."


def judge_statement(facts: StatementFacts) -> Iterator[str]:
    is_paid = facts.kind == StatementKind.PAID
    amount, currency, brand_id = facts.payout
    if (facts.amount, facts.currency, facts.brand_id) != (
        amount if is_paid else -amount,
        currency,
        brand_id,
    ):
        yield "is not of the brand, amount and currency of its payout."
    if facts.total != amount:
        yield f"prints a total of {facts.total}, but its payout is {amount}."
    ends = (PayoutStatus.PAID, PayoutStatus.RETURNED)
    if facts.payout_status not in (ends if is_paid else ends[1:]):
        yield f"states a payout that is {facts.payout_status}."


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
