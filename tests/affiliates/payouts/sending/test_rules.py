from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from affiliates.outbox.queue.rules import QueueState, TryResult
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.providers.sender import BatchAnswer, ItemAnswer, ItemState
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending.rules import (
    UNDECIDED,
    Booking,
    Step,
    judge_item,
    mismatch,
    next_step,
    result_of,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LONG = timedelta(days=29)


@pytest.mark.parametrize(
    ("remote_id", "sent_at", "step"),
    [
        ("", None, Step.SEND),
        ("", NOW, Step.SEND),
        ("", NOW - LONG + timedelta(seconds=1), Step.SEND),
        ("", NOW - LONG, Step.HOLD),
        ("P1", NOW - LONG, Step.LOOK_UP),
        ("P1", None, Step.LOOK_UP),
    ],
)
def test_a_batch_is_sent_again_only_while_the_provider_knows_it(
    remote_id, sent_at, step
):
    judged = next_step(
        remote_id=remote_id, sent_at=sent_at, repeatable_for=LONG, now=NOW
    )

    assert judged is step


OK, RETRY = OutcomeKind.OK, OutcomeKind.RETRY
AMBIGUOUS, CONFIG = OutcomeKind.AMBIGUOUS, OutcomeKind.CONFIG
REJECTED = OutcomeKind.REJECTED


@pytest.mark.parametrize(
    ("kind", "facts", "state", "seconds"),
    [
        (OK, {"remote_id": "P1", "is_decided": True}, QueueState.SENT, None),
        (OK, {"remote_id": "P1"}, QueueState.UNCLEAR, 5),
        (OK, {"remote_id": "P1", "attempts": 3}, QueueState.UNCLEAR, 30),
        (OK, {"remote_id": "P1", "attempts": 99}, QueueState.UNCLEAR, 86_400),
        (OK, {"remote_id": "P1", "sent_at": NOW - 46 * DAY}, QueueState.UNCLEAR, None),
        (RETRY, {}, QueueState.RETRY, 20),
        (RETRY, {"attempts": 9}, QueueState.RETRY, 3_600),
        (RETRY, {"remote_id": "P1"}, QueueState.UNCLEAR, 20),
        (AMBIGUOUS, {}, QueueState.UNCLEAR, 20),
        (CONFIG, {}, QueueState.RETRY, 3_600),
        (REJECTED, {}, QueueState.FAILED, None),
        # A look-up is refused, and not the batch.
        (REJECTED, {"remote_id": "P1", "sent_at": NOW}, QueueState.UNCLEAR, 20),
        # An earlier try may have been taken.
        (REJECTED, {"sent_at": NOW - DAY}, QueueState.UNCLEAR, None),
        (OutcomeKind.NOT_FOUND, {"remote_id": "P1"}, QueueState.UNCLEAR, None),
    ],
)
def test_what_follows_an_answer(kind, facts, state, seconds):
    values = {"attempts": 1, "remote_id": "", "is_decided": False, "sent_at": None}

    result = result_of(BatchAnswer(kind=kind, detail="Why"), now=NOW, **values | facts)

    next_at = None if seconds is None else NOW + timedelta(seconds=seconds)
    detail = UNDECIDED if facts.get("sent_at") == NOW - 46 * DAY else "Why"
    assert result == TryResult(state, detail, next_at)


EXPORTED, PAID = PayoutStatus.EXPORTED, PayoutStatus.PAID


def item(state: ItemState, **values) -> ItemAnswer:
    common = {"reference": "PAYOUT-1", "amount": 100, "currency": "EUR"}
    return ItemAnswer(state=state, **common | values)


@pytest.mark.parametrize(
    ("state", "status", "booking"),
    [
        (ItemState.PENDING, EXPORTED, Booking.NOTHING),
        (ItemState.HELD, EXPORTED, Booking.NOTHING),
        (ItemState.PAID, EXPORTED, Booking.CONFIRM),
        (ItemState.PAID, PAID, Booking.NOTHING),
        (ItemState.PAID, PayoutStatus.REJECTED, Booking.NOTHING),
        (ItemState.FAILED, EXPORTED, Booking.REJECT),
        (ItemState.FAILED, PAID, Booking.RETURN),
        (ItemState.FAILED, PayoutStatus.REJECTED, Booking.NOTHING),
        (ItemState.RETURNED, EXPORTED, Booking.REJECT),
        (ItemState.RETURNED, PAID, Booking.RETURN),
        (ItemState.RETURNED, PayoutStatus.RETURNED, Booking.NOTHING),
    ],
)
def test_what_an_answer_does_to_a_payout(state, status, booking):
    assert judge_item(item(state), status) is booking


@pytest.mark.parametrize(
    ("amount", "currency", "is_other"),
    [
        (100, "EUR", False),
        (99, "EUR", True),
        (100, "USD", True),
        (None, "EUR", True),
    ],
)
def test_other_money_is_no_answer(amount, currency, is_other):
    said = item(ItemState.PAID, amount=amount, currency=currency)

    fault = mismatch(said, amount=100, currency="EUR")

    text = "The provider states another amount than the payout's."
    assert fault == (text if is_other else "")
