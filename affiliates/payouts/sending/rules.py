"""When a batch is sent, looked up or left to a person, and what an answer does. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum, auto

from affiliates.outbox.queue.rules import QueueState, TryResult, backoff
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.providers.sender import BatchAnswer, ItemAnswer
from affiliates.payouts.rules import PayoutStatus

RETRIES = tuple(timedelta(seconds=seconds) for seconds in (20, 60, 300, 1800, 3600))
LOOK_UPS = tuple(
    timedelta(seconds=seconds) for seconds in (5, 10, 30, 120, 600, 3600, 21600, 86400)
)
CONFIG_WAIT = timedelta(hours=1)
# Unclaimed money comes back after 30 days. What is undecided then needs a person.
PATIENCE = timedelta(days=45)
TOO_LATE = (
    "It may have been sent, and it is too late to send it again: look for it at the "
    "provider."
)
UNDECIDED = "Not decided for so long: look at the provider."


NOT_TAKEN = frozenset({OutcomeKind.RETRY, OutcomeKind.BUSY, OutcomeKind.CONFIG})


class Step(Enum):
    SEND = auto()
    LOOK_UP = auto()
    HOLD = auto()


class Booking(Enum):
    """The effect of a provider's answer on a payout."""

    NOTHING = auto()
    CONFIRM = auto()
    REJECT = auto()
    RETURN = auto()


def next_step(
    *,
    remote_id: str,
    sent_at: datetime | None,
    repeatable_for: timedelta,
    now: datetime,
) -> Step:
    """``sent_at`` is the first try, which may have arrived; None: there was none."""
    if remote_id:
        return Step.LOOK_UP
    if sent_at is None or now - sent_at < repeatable_for:
        return Step.SEND
    return Step.HOLD


def result_of(
    answer: BatchAnswer,
    *,
    attempts: int,
    remote_id: str,
    is_decided: bool,
    sent_at: datetime | None,
    now: datetime,
) -> TryResult:
    """The state after a try. ``attempts`` counts it; ``remote_id`` is known by now.

    Only the refusal of the first try is final: ``sent_at`` is an earlier one, which may
    have been taken. A look-up that is refused says nothing of the payouts.
    """
    if is_decided:
        return TryResult(QueueState.SENT, answer.detail)
    if answer.kind is OutcomeKind.REJECTED and not remote_id:
        is_first = sent_at is None
        state = QueueState.FAILED if is_first else QueueState.UNCLEAR
        return TryResult(state, answer.detail)
    if answer.kind is OutcomeKind.NOT_FOUND:
        return TryResult(QueueState.UNCLEAR, answer.detail)
    if answer.kind is OutcomeKind.OK and sent_at and now - sent_at > PATIENCE:
        return TryResult(QueueState.UNCLEAR, UNDECIDED)
    waits = LOOK_UPS if answer.kind is OutcomeKind.OK else RETRIES
    wait = (
        CONFIG_WAIT if answer.kind is OutcomeKind.CONFIG else backoff(waits, attempts)
    )
    is_unclear = remote_id != "" or answer.kind is OutcomeKind.AMBIGUOUS
    state = QueueState.UNCLEAR if is_unclear else QueueState.RETRY
    return TryResult(state, answer.detail, now + wait)


def judge_item(item: ItemAnswer, status: PayoutStatus) -> Booking:
    """What the answer does to a payout of this status: a known one does nothing."""
    match item.state:
        case item.state.PAID if status is PayoutStatus.EXPORTED:
            return Booking.CONFIRM
        case item.state.FAILED if status is PayoutStatus.EXPORTED:
            return Booking.REJECT
        case item.state.RETURNED if status is PayoutStatus.EXPORTED:
            return Booking.REJECT
        case item.state.RETURNED | item.state.FAILED if status is PayoutStatus.PAID:
            return Booking.RETURN
    return Booking.NOTHING


def mismatch(item: ItemAnswer, *, amount: int, currency: str) -> str:
    """Why the answer is about other money than the payout's; "" if it is not."""
    if (item.amount, item.currency) == (amount, currency):
        return ""
    return "The provider states another amount than the payout's."
