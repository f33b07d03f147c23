"""Every row of the retry table, and what follows each outcome."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from affiliates.outbox import rules
from affiliates.outbox.http.types import CallFailed, FailureKind, Response
from affiliates.outbox.pacing import (
    hurried_attempts,
    lease_size,
    pause_after,
)
from affiliates.outbox.queue.rules import QueueState, TryResult
from affiliates.outbox.rules import FOUND, AmbiguousSales, DeliveryStep
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind
from tests.cases import each

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLICK, SALE, LEAD = Operation.CLICK, Operation.SALE, Operation.LEAD
REVERSAL, LOOKUP, PROBE = Operation.REVERSAL, Operation.LOOKUP, Operation.PROBE
OK, DUPLICATE, RETRY = OutcomeKind.OK, OutcomeKind.DUPLICATE, OutcomeKind.RETRY
BUSY = OutcomeKind.BUSY
AMBIGUOUS, CONFIG = OutcomeKind.AMBIGUOUS, OutcomeKind.CONFIG
REJECTED, NOT_FOUND = OutcomeKind.REJECTED, OutcomeKind.NOT_FOUND
LOOK_UP, RESEND, HOLD = (
    AmbiguousSales.LOOK_UP,
    AmbiguousSales.RESEND,
    AmbiguousSales.HOLD,
)


def response(status: int, **headers: str) -> Response:
    return Response(status=status, headers=headers, body=b"")


@pytest.mark.parametrize(
    ("failure", "click", "sale", "full", "partial"),
    [
        (FailureKind.NOT_SENT, RETRY, RETRY, RETRY, RETRY),
        (FailureKind.NO_ANSWER, RETRY, AMBIGUOUS, RETRY, AMBIGUOUS),
        (FailureKind.CERTIFICATE, CONFIG, CONFIG, CONFIG, CONFIG),
        (FailureKind.FORBIDDEN, CONFIG, CONFIG, CONFIG, CONFIG),
    ],
)
def test_call_without_an_answer(failure, click, sale, full, partial):
    def judge(operation: Operation, *, is_partial: bool = False) -> OutcomeKind:
        failed = CallFailed(failure, "why")
        outcome = rules.judge_failure(operation, failed, is_partial=is_partial)
        assert outcome.detail == "why"
        return outcome.kind

    assert judge(CLICK) is click
    assert judge(SALE) is judge(LEAD) is sale
    assert judge(REVERSAL) is full
    assert judge(REVERSAL, is_partial=True) is partial
    assert judge(LOOKUP) is judge(PROBE) is click


@each(
    ("status", "click", "sale", "full", "partial"),
    [
        *[(status, RETRY, RETRY, RETRY, RETRY) for status in (408, 420, 425, 429, 503)],
        *[
            (status, RETRY, AMBIGUOUS, RETRY, AMBIGUOUS)
            for status in (500, 502, 504, 520, 524, 529)
        ],
        *[
            (status, CONFIG, CONFIG, CONFIG, CONFIG)
            for status in (501, 505, 511, 519, 530, 300, 301, 302, 304, 307, 308)
        ],
        *[
            (status, CONFIG, CONFIG, CONFIG, CONFIG)
            for status in (401, 402, 403, 404, 405, 406, 451)
        ],
        *[
            (status, REJECTED, REJECTED, REJECTED, REJECTED)
            for status in (400, 410, 413, 414, 415, 422)
        ],
        *[(status, None, None, None, None) for status in (200, 201, 202, 204, 299)],
    ],
)
def test_answer_by_its_status(status, click, sale, full, partial):
    def judge(operation: Operation, *, is_partial: bool = False) -> OutcomeKind | None:
        outcome = rules.judge_status(operation, response(status), is_partial=is_partial)
        return None if outcome is None else outcome.kind

    assert judge(CLICK) is click
    assert judge(SALE) is judge(LEAD) is sale
    assert judge(REVERSAL) is full
    assert judge(REVERSAL, is_partial=True) is partial


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120),
        (" 5 ", 5),
        ("0", 0),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("9" * 10, None),
        ("٣", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_retry_after_is_read_in_seconds(text, seconds):
    outcome = rules.judge_status(CLICK, response(503, **{"retry-after": text}))

    assert outcome.retry_after == seconds
    assert outcome.kind is (RETRY if seconds is None else BUSY)


def resolve(kind: OutcomeKind, *, attempts: int = 1, jitter: float = 0.0, **options):
    return rules.resolve(
        CallOutcome(kind=kind, retry_after=options.pop("retry_after", None)),
        attempts=attempts,
        policy=options.pop("policy", LOOK_UP),
        can_look_up=options.pop("can_look_up", True),
        now=NOW,
        jitter=jitter,
    )


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        (OK, QueueState.SENT),
        (DUPLICATE, QueueState.SENT),
        (REJECTED, QueueState.FAILED),
        (NOT_FOUND, QueueState.FAILED),
    ],
)
def test_outcome_that_ends_a_delivery(kind, state):
    assert resolve(kind) == TryResult(state=state, next_at=None)


@pytest.mark.parametrize(
    ("attempts", "wait"),
    [
        (1, timedelta(seconds=30)),
        (2, timedelta(minutes=2)),
        (3, timedelta(minutes=10)),
        (4, timedelta(minutes=30)),
        (5, timedelta(hours=2)),
        (6, timedelta(hours=6)),
        (7, timedelta(hours=6)),
        (1000, timedelta(hours=6)),
    ],
)
def test_waits_grow(attempts, wait):
    assert resolve(RETRY, attempts=attempts) == TryResult(
        state=QueueState.RETRY, next_at=NOW + wait
    )


@pytest.mark.parametrize(("jitter", "seconds"), [(-1, 24), (0, 30), (0.5, 33), (1, 36)])
def test_waits_are_spread_by_a_fifth(jitter, seconds):
    assert resolve(RETRY, jitter=jitter).next_at == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("asked", "wait"),
    [
        (10, timedelta(seconds=30)),
        (120, timedelta(minutes=2)),
        (7 * 86_400, timedelta(hours=24)),
    ],
)
def test_provider_may_ask_for_a_longer_wait(asked, wait):
    assert resolve(BUSY, retry_after=asked) == TryResult(
        state=QueueState.RETRY, next_at=NOW + wait
    )


def test_wrong_setting_is_tried_now_and_then():
    assert resolve(CONFIG, attempts=9) == TryResult(
        state=QueueState.RETRY, next_at=NOW + timedelta(hours=6)
    )


@pytest.mark.parametrize(
    ("policy", "can_look_up", "attempts", "state", "wait"),
    [
        (LOOK_UP, True, 1, QueueState.UNCLEAR, timedelta(seconds=20)),
        (LOOK_UP, True, 5, QueueState.UNCLEAR, timedelta(seconds=20)),
        (LOOK_UP, True, 6, QueueState.UNCLEAR, timedelta(seconds=30)),
        (LOOK_UP, True, 99, QueueState.UNCLEAR, timedelta(hours=6)),
        (LOOK_UP, False, 1, QueueState.UNCLEAR, None),
        (HOLD, True, 1, QueueState.UNCLEAR, None),
        (RESEND, True, 2, QueueState.RETRY, timedelta(minutes=2)),
    ],
)
def test_unclear_outcome_follows_the_policy(policy, can_look_up, attempts, state, wait):
    resolved = resolve(
        AMBIGUOUS, attempts=attempts, policy=policy, can_look_up=can_look_up
    )

    assert resolved == TryResult(
        state=state, next_at=None if wait is None else NOW + wait
    )


@pytest.mark.parametrize(
    ("kind", "state", "wait"),
    [
        (OK, QueueState.SENT, None),
        (DUPLICATE, QueueState.SENT, None),
        (NOT_FOUND, QueueState.RETRY, timedelta(0)),
        (RETRY, QueueState.UNCLEAR, timedelta(minutes=2)),
        (AMBIGUOUS, QueueState.UNCLEAR, timedelta(minutes=2)),
        (REJECTED, QueueState.UNCLEAR, timedelta(minutes=2)),
        (CONFIG, QueueState.UNCLEAR, timedelta(hours=6)),
    ],
)
def test_look_up_decides_or_is_repeated(kind, state, wait):
    resolved = rules.resolve_lookup(
        CallOutcome(kind=kind), attempts=2, counted_at=NOW, now=NOW, jitter=0
    )

    assert resolved == TryResult(
        state=state,
        detail=FOUND if state == "sent" else "",
        next_at=None if wait is None else NOW + wait,
    )


@pytest.mark.parametrize(
    ("attempts", "seconds_left", "wait"),
    [(1, 900, 30), (2, 900, 120), (3, 900, 600), (4, 900, 900), (3, 1, 1)],
)
def test_sale_not_counted_yet_is_looked_up_again(attempts, seconds_left, wait):
    resolved = rules.resolve_lookup(
        CallOutcome(kind=OutcomeKind.NOT_FOUND),
        attempts=attempts,
        counted_at=NOW + timedelta(seconds=seconds_left),
        now=NOW,
        jitter=0,
    )

    next_at = NOW + timedelta(seconds=wait)
    assert resolved == TryResult(QueueState.UNCLEAR, rules.NOT_COUNTED, next_at)


@each(
    ("state", "operation", "is_partial", "policy", "can_look_up", "step"),
    [
        (QueueState.WAITING, SALE, False, HOLD, False, DeliveryStep.SEND),
        (QueueState.RETRY, SALE, False, HOLD, False, DeliveryStep.SEND),
        (QueueState.SENDING, CLICK, False, HOLD, False, DeliveryStep.SEND),
        (QueueState.SENDING, REVERSAL, False, HOLD, False, DeliveryStep.SEND),
        (QueueState.SENDING, REVERSAL, True, RESEND, True, DeliveryStep.HOLD),
        (QueueState.SENDING, SALE, False, LOOK_UP, True, DeliveryStep.LOOK_UP),
        (QueueState.SENDING, LEAD, False, LOOK_UP, True, DeliveryStep.LOOK_UP),
        (QueueState.SENDING, SALE, False, LOOK_UP, False, DeliveryStep.HOLD),
        (QueueState.SENDING, SALE, False, RESEND, True, DeliveryStep.SEND),
        (QueueState.SENDING, SALE, False, HOLD, True, DeliveryStep.HOLD),
        (QueueState.UNCLEAR, SALE, False, LOOK_UP, True, DeliveryStep.LOOK_UP),
        (QueueState.UNCLEAR, SALE, False, RESEND, True, DeliveryStep.SEND),
        (QueueState.UNCLEAR, SALE, False, HOLD, True, DeliveryStep.HOLD),
        (QueueState.UNCLEAR, REVERSAL, True, LOOK_UP, True, DeliveryStep.HOLD),
    ],
)
def test_step_of_a_due_delivery(
    state, operation, is_partial, policy, can_look_up, step
):
    assert (
        rules.next_step(
            state,
            operation,
            is_partial=is_partial,
            policy=policy,
            can_look_up=can_look_up,
        )
        is step
    )


@pytest.mark.parametrize(
    ("operation", "days", "is_given_up"),
    [
        (CLICK, 7, False),
        (CLICK, 8, True),
        (SALE, 8, False),
        (SALE, 30, False),
        (SALE, 31, True),
        (LEAD, 31, True),
        (REVERSAL, 31, True),
    ],
)
def test_age_at_which_a_delivery_is_given_up(operation, days, is_given_up):
    assert (
        rules.is_given_up(
            operation,
            created_at=NOW,
            now=NOW + timedelta(days=days),
            click_max_age=timedelta(days=7),
            sale_max_age=timedelta(days=30),
        )
        is is_given_up
    )


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [(0, None), (4, None), (5, 5), (6, 10), (7, 20), (8, 30), (1_000_000, 30)],
)
def test_provider_that_fails_is_left_alone(failures, seconds):
    pause = pause_after(failures)

    assert pause == (None if seconds is None else timedelta(seconds=seconds))


def test_few_failures_hurry_fewer_deliveries_than_an_outage():
    assert [hurried_attempts(count) for count in (1, 4, 5, 100)] == [5, 5, 20, 20]


@pytest.mark.parametrize(("rate", "size"), [(1, 1), (5, 5), (50, 50), (1000, 50)])
def test_a_seconds_worth_is_claimed_within_bounds(rate, size):
    assert lease_size(rate) == size


@pytest.mark.parametrize("kind", list(OutcomeKind))
def test_only_answers_show_a_provider_at_work(kind):
    assert rules.is_answer(kind) is (kind not in {RETRY, BUSY, AMBIGUOUS, CONFIG})
