"""The thorough checks: every step, posting and decision recomputed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.rules import PostingKind
from affiliates.plans.rules.bases import set_off_follows
from affiliates.plans.rules.receipts import is_sound
from affiliates.referrals.rules.choices import Verdict
from affiliates.referrals.rules.replay import ReplayResult, replay
from affiliates.verification.rules.completeness import ReceiptFacts


class Override(NamedTuple):
    affiliate_id: int | None
    reason: str
    at: datetime
    replaced: Mapping[str, Any]


class DecisionFacts(NamedTuple):
    """The columns of an order's referral, its decision, and the overrides in order.

    ``candidates`` are the affiliates who may read it without being credited.
    """

    id: int
    order_ref: str
    reason: str
    click_id: UUID | None
    touched_at: datetime | None
    affiliate_id: int | None
    decision: Mapping[str, Any]
    overrides: Sequence[Override]
    candidates: Set[int]


class Cause(NamedTuple):
    """The step or reversal that a posting is for: its posting's key, and its time."""

    key: str
    at: datetime


class PostingOrigin(NamedTuple):
    """``causes`` are all that a posting of this kind, for this row, can be for."""

    id: int
    key: str
    posted_at: datetime
    causes: Sequence[Cause]


class Step(NamedTuple):
    before: str
    after: str
    at: datetime


class LifeFacts(NamedTuple):
    """A commission's steps, the times of refunds that took something, and its payout."""

    id: int
    status: str
    steps: Sequence[Step]
    reversed_at: Sequence[datetime]
    sale_reversal_count: int
    reversal_count: int
    payout_id: int | None
    requested_at: datetime | None
    finished_at: datetime | None


class TierFacts(NamedTuple):
    """What a line's tier counted, and its bounds by the current rows."""

    id: int
    position: int
    seen: int
    fewest: int
    most: int


class Bonus(NamedTuple):
    key: str
    kind: str
    currency: str
    amount: int
    at: datetime


class JoiningFacts(NamedTuple):
    """An affiliate's joining bonuses, and the first approval that made money payable.

    ``promised`` is what the plan's version of that commission gives, by currency.
    """

    id: int
    code: str
    given: Sequence[Bonus]
    promised: Mapping[str, int]
    currency: str
    approved_at: datetime | None


# The step of a commission whose payout came back: status before and after.
BACK_FROM_PAID = (CommissionStatus.PAID, CommissionStatus.APPROVED)


def judge_posting_origin(facts: PostingOrigin) -> Iterator[str]:
    cause = next((one for one in facts.causes if one.key == facts.key), None)
    if cause is None:
        yield "is for no step that is on record."
    elif cause.at != facts.posted_at:
        yield f"was posted at {facts.posted_at}, its step was taken at {cause.at}."


def judge_life(facts: LifeFacts) -> Iterator[str]:
    is_live = facts.status != CommissionStatus.REJECTED
    is_in_payout = facts.payout_id is not None
    if is_live and facts.reversal_count != facts.sale_reversal_count:
        yield (
            f"has {facts.reversal_count} reversals, its sale "
            f"{facts.sale_reversal_count}."
        )
    # One that is rejected in a payout leaves it without a step when that is rejected.
    if (is_live or is_in_payout) and _steps_of_payouts(facts) % 2 != is_in_payout:
        yield "has a step into or out of a payout missing, or is in one without it."
    times = [step.at for step in facts.steps]
    if any(at not in times for at in facts.reversed_at):
        yield "was taken back of at a time of which no step is on record."
    if is_in_payout and facts.requested_at not in times:
        yield "is in a payout that it was not put into when that was requested."
    if facts.status == CommissionStatus.PAID and facts.finished_at not in times:
        yield "is paid, but not since its payout reached the affiliate."


def _steps_of_payouts(facts: LifeFacts) -> int:
    """How often it went into a payout or came back.

    Such a step leaves the status, or takes a commission of which nothing is left to its
    end. So does one by a refund, and its cancellation leads back: those are known by
    their number. A paid one comes out when the payout comes back.
    """
    still = sum(
        step.before == step.after
        or CommissionStatus.REVERSED in (step.before, step.after)
        or (step.before, step.after) == BACK_FROM_PAID
        for step in facts.steps
    )
    return still - len(facts.reversed_at)


def judge_joining(facts: JoiningFacts) -> Iterator[str]:
    expected = []
    if facts.approved_at is not None and facts.currency in facts.promised:
        amount = facts.promised[facts.currency]
        key, kind = f"joining:{facts.id}", PostingKind.BONUS
        expected = [Bonus(key, kind, facts.currency, amount, facts.approved_at)]
    if facts.given != expected:
        given, due = (
            " and ".join(f"{one.amount} {one.currency} at {one.at}" for one in bonuses)
            for bonuses in (facts.given, expected)
        )
        yield (
            f"was given a joining bonus of {given or 'nothing'}, but {due or 'nothing'} "
            "is due by the first commission that was approved."
        )


def judge_tier(facts: TierFacts) -> Iterator[str]:
    if not facts.fewest <= facts.seen <= facts.most:
        yield (
            f"has a receipt of line {facts.position} that counted {facts.seen} before it, "
            f"but {facts.fewest} to {facts.most} are on record."
        )


def judge_receipt_sums(facts: ReceiptFacts) -> Iterator[str]:
    """Recomputes each receipt from its own values, and credits from all receipts."""
    receipts = [orjson.loads(line.receipt) for line in facts.lines]
    for line, receipt in zip(facts.lines, receipts, strict=True):
        if not is_sound(receipt):
            yield f"has a receipt of line {line.position} that does not follow from it."
    if not set_off_follows(receipts):
        yield "has receipts whose credits are set off otherwise than its lines say."


def judge_decision(facts: DecisionFacts) -> Iterator[str]:
    """Repeats the decision from its own inputs, and checks staff's assignment in it."""
    again = replay(facts.decision)
    if again.result is ReplayResult.NOT_REPLAYABLE:
        yield "has a decision that does not hold what it was made from."
        return
    if again.result is ReplayResult.DIFFERENT:
        yield (
            f"is decided for {again.stored_winner}, made anew for "
            f"{again.recomputed_winner}."
        )
    yield from _judge_columns(facts)
    yield from _judge_overrides(facts)
    yield from _judge_candidates(facts)


def _judge_candidates(facts: DecisionFacts) -> Iterator[str]:
    """Affiliates named in its decisions may read it; the credited one needs no row."""
    named = _named_in([facts.decision, *(one.replaced for one in facts.overrides)])
    if facts.candidates - named:
        yield "is found by an affiliate who took no part in its decision."
    if named - facts.candidates - {facts.affiliate_id}:
        yield "is not found by an affiliate who took part in its decision."


def _named_in(decisions: Iterable[Mapping[str, Any]]) -> set[int]:
    found = (one for decision in decisions for one in decision.get("candidates", ()))
    return {one["affiliate_id"] for one in found}


def _judge_columns(facts: DecisionFacts) -> Iterator[str]:
    won = (one for one in facts.decision["candidates"] if one["verdict"] == Verdict.WON)
    winner = next(won, None)
    clicked = None if winner is None or winner["click_id"] is None else winner
    expected = {
        "reason": facts.decision["reason"],
        "click_id": clicked and clicked["click_id"],
        "touched_at": clicked and datetime.fromisoformat(clicked["touched_at"]),
    }
    kept = {
        "reason": facts.reason,
        "click_id": facts.click_id and str(facts.click_id),
        "touched_at": facts.touched_at,
    }
    for name, value in expected.items():
        if kept[name] != value:
            yield f"has {name} {kept[name]}, by its decision {value}."


def _judge_overrides(facts: DecisionFacts) -> Iterator[str]:
    """Each decision must hold staff's latest assignment before it, or none."""
    decisions = [*(one.replaced for one in facts.overrides), facts.decision]
    if _assignment_of(decisions[0]) is not None:
        yield "was assigned by staff, of which nothing is on record."
    for override, decision in zip(facts.overrides, decisions[1:], strict=True):
        if _assignment_of(decision) != _word_of(override):
            yield "was assigned by staff otherwise than its decision says."
    for earlier, later in pairwise(decisions):
        if _evidence_of(earlier) != _evidence_of(later):
            yield "was assigned by staff, and its decision is of other evidence since."


def _assignment_of(decision: Mapping[str, Any]) -> tuple[Any, ...] | None:
    assignment = decision.get("order", {}).get("assignment")
    if assignment is None:
        return None
    sender = assignment["sender"]
    at = datetime.fromisoformat(assignment["at"])
    return sender and sender["affiliate_id"], assignment["reason"], at


def _word_of(override: Override) -> tuple[Any, ...]:
    return override.affiliate_id, override.reason, override.at


def _evidence_of(decision: Mapping[str, Any]) -> tuple[Any, ...]:
    """The part of a decision that staff's assignment leaves unchanged."""
    clicks = [
        (one["click_id"], one["touched_at"], one["affiliate_id"])
        for one in decision.get("candidates", ())
        if one["carrier"] in ("cookie", "binding")
    ]
    return decision.get("decided_at"), decision.get("terms"), clicks


def cause_of(commission_id: int, kind: str, number: int, at: datetime) -> Cause:
    """``number`` is that of the step, or of the sale's reversal."""
    return Cause(f"commission:{commission_id}:{kind}:{number}", at)


PAYOUT_STEPS: Mapping[str, str] = {
    PostingKind.PAYOUT_REQUESTED: "requested",
    PostingKind.PAYOUT_PAID: "paid",
    PostingKind.PAYOUT_REJECTED: "rejected",
    PostingKind.PAYOUT_RETURNED: "returned",
}
