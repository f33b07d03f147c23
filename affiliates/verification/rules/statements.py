"""Rules of agreement between payouts and statements. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from affiliates.payouts.rules import PayoutStatus, StatementKind


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
