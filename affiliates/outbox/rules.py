"""Decides when a delivery is sent, sent again or given up. Pure.

Nothing is lost: deliveries that need a person stay visible, with their reason.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from affiliates.outbox.http.types import CallFailed, FailureKind, Response
from affiliates.outbox.pacing import BACKOFF, MAX_RETRY_AFTER
from affiliates.outbox.queue.rules import QueueState, TryResult, backoff, spread
from affiliates.outbox.types import (
    CallOutcome,
    Operation,
    OutcomeKind,
    broken,
    rejected,
)


class WebhookEnd(TextChoices):
    """Why an affiliate's webhook is off, if the affiliate did not turn it off."""

    GONE = "gone", _("The receiver answered 410 Gone")
    FAILING = "failing", _("Nothing was accepted for three days")
    SUSPENDED = "suspended", _("The affiliate was suspended")
    LEFT = "left", _("The affiliate left the program")
    STAFF = "staff", _("Switched off by staff")


class AmbiguousSales(TextChoices):
    """The treatment of a sale that may or may not have arrived."""

    LOOK_UP = "look_up", "Look it up, send it again only when it is not there"
    RESEND = "resend", "Send it again (the provider may count it twice)"
    HOLD = "hold", "Leave it to a person"


FOUND = "Found at the provider after an unclear answer."
NOT_COUNTED = (
    "Not found yet: the provider may not have processed it. To be looked up again."
)
SWITCHED_OFF = "The integration was switched off."
RESTORED = (
    "It may have been sent before the database was restored, which does not know it."
)
# For so long, hosts and gateways report what a restored database does not know.
REPORTED_AGAIN = timedelta(days=7)
# An affiliate's webhook that accepts nothing for this long is turned off.
LASTING = timedelta(days=3)

# Saving corrected settings retries at once; until then retries are rare.
CONFIG_BACKOFF = timedelta(hours=6)
# A provider that answers late may still be processing the request.
LOOKUP_DELAY = timedelta(seconds=20)
# The number of look-ups and new attempts at that pace; then the backoff begins.
QUICK_LOOKUPS = 5
# How long a sale waits for its visitor's click before it is sent without it.
CLICK_PATIENCE = timedelta(minutes=10)
# A later sale must not include an earlier one's click. Yet a sale that can never be
# sent must not block its visitor's later ones.
SALE_PATIENCE = timedelta(days=1)
# How often a reversal checks whether its sale has arrived.
SALE_WAIT = timedelta(minutes=5)
# The provider was reached and processed the request, with any result.
_ANSWERS = frozenset(
    {
        OutcomeKind.OK,
        OutcomeKind.DUPLICATE,
        OutcomeKind.NOT_FOUND,
        OutcomeKind.REJECTED,
        OutcomeKind.GONE,
    }
)
_RETRY_STATUSES = frozenset({408, 420, 425, 429, 500, 502, 503, 504})
_CERTAINLY_UNPROCESSED = frozenset({408, 420, 425, 429, 503})
_FINAL_STATUSES = frozenset({400, 410, 413, 414, 415, 422})


class DeliveryStep(TextChoices):
    """The next step for a due delivery."""

    SEND = "send", "Send it"
    LOOK_UP = "look_up", "Ask the provider whether it has it"
    HOLD = "hold", "Leave it to a person"


def is_repeatable(operation: Operation, *, is_partial: bool = False) -> bool:
    """Whether the operation can be repeated at any provider without harm.

    A repeated click is the same visitor and affiliate; a look-up changes nothing; a
    whole sale can be reversed only once; an event keeps its identifier. A sale, a lead
    or a partial reversal cannot be repeated.
    """
    if operation is Operation.REVERSAL:
        return not is_partial
    return operation not in {Operation.SALE, Operation.LEAD}


def may_be_repeated(
    restored_at: datetime | None, known_since: datetime, *, now: datetime
) -> bool:
    """Whether a fact may have been sent before the database was restored.

    Only facts about orders and clients from before that can have been.
    """
    if restored_at is None:
        return False
    return known_since <= restored_at and now <= restored_at + REPORTED_AGAIN


def policy_for(operation: Operation, policy: AmbiguousSales) -> AmbiguousSales:
    """The policy; a partial reversal cannot be looked up and must not be repeated."""
    return AmbiguousSales.HOLD if operation is Operation.REVERSAL else policy


def is_uncertain(state: QueueState, operation: Operation, *, is_partial: bool) -> bool:
    """Whether the delivery may have arrived although no arrival was recorded.

    A due delivery that is still SENDING lost its sender between sending and recording.
    """
    if state is QueueState.SENDING:
        return not is_repeatable(operation, is_partial=is_partial)
    return state is QueueState.UNCLEAR


def next_step(
    state: QueueState,
    operation: Operation,
    *,
    is_partial: bool,
    policy: AmbiguousSales,
    can_look_up: bool,
) -> DeliveryStep:
    """Decides what to do with a due delivery."""
    if not is_uncertain(state, operation, is_partial=is_partial):
        return DeliveryStep.SEND
    match policy_for(operation, policy):
        case AmbiguousSales.RESEND:
            return DeliveryStep.SEND
        case AmbiguousSales.LOOK_UP if can_look_up:
            return DeliveryStep.LOOK_UP
        case _:
            return DeliveryStep.HOLD


def judge_failure(
    operation: Operation, failure: CallFailed, *, is_partial: bool = False
) -> CallOutcome:
    """The outcome of a call that got no answer."""
    match failure.kind:
        case FailureKind.NOT_SENT:
            kind = OutcomeKind.RETRY
        case FailureKind.NO_ANSWER if is_repeatable(operation, is_partial=is_partial):
            kind = OutcomeKind.RETRY
        case FailureKind.NO_ANSWER:
            kind = OutcomeKind.AMBIGUOUS
        case _:
            kind = OutcomeKind.CONFIG
    return CallOutcome(kind, failure.detail)


def judge_status(
    operation: Operation, response: Response, *, is_partial: bool = False
) -> CallOutcome | None:
    """The outcome of an answer by its status; None for 2xx, which its body decides."""
    status = response.status
    if 200 <= status < 300:
        return None
    detail = f"The provider answered with status {status}."
    if 300 <= status < 400:
        return broken(f"{detail} Enter the address it redirects to: none is followed.")
    if status in _RETRY_STATUSES or 520 <= status < 530:
        is_certain = status in _CERTAINLY_UNPROCESSED or is_repeatable(
            operation, is_partial=is_partial
        )
        wait = _retry_after(response)
        kind = OutcomeKind.RETRY if wait is None else OutcomeKind.BUSY
        if not is_certain:
            kind = OutcomeKind.AMBIGUOUS
        return CallOutcome(kind, detail, retry_after=wait)
    if status in _FINAL_STATUSES:
        return rejected(detail)
    return broken(detail)


def _retry_after(response: Response) -> int | None:
    """The wait in seconds that the provider asks for; dates are left to the backoff."""
    text = response.headers.get("retry-after", "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def resolve(
    outcome: CallOutcome,
    *,
    attempts: int,
    policy: AmbiguousSales,
    can_look_up: bool,
    now: datetime,
    jitter: float,
) -> TryResult:
    """The result of an outcome. ``attempts`` counts this one; ``jitter`` is -1 to 1."""
    detail = outcome.detail
    state, wait = QueueState.RETRY, _wait(outcome, attempts, jitter)
    match outcome.kind:
        case OutcomeKind.OK | OutcomeKind.DUPLICATE:
            return TryResult(QueueState.SENT, detail)
        case OutcomeKind.REJECTED | OutcomeKind.NOT_FOUND | OutcomeKind.GONE:
            return TryResult(QueueState.FAILED, detail)
        case OutcomeKind.CONFIG:
            wait = spread(CONFIG_BACKOFF, jitter)
        case OutcomeKind.AMBIGUOUS if policy is AmbiguousSales.RESEND:
            wait = spread(backoff(BACKOFF, attempts), jitter)
        case OutcomeKind.AMBIGUOUS if policy is AmbiguousSales.HOLD or not can_look_up:
            return TryResult(QueueState.UNCLEAR, detail)
        case OutcomeKind.AMBIGUOUS:
            over = attempts - QUICK_LOOKUPS
            state = QueueState.UNCLEAR
            wait = LOOKUP_DELAY if over <= 0 else spread(backoff(BACKOFF, over), jitter)
    return TryResult(state, detail, now + wait)


def resolve_lookup(
    outcome: CallOutcome,
    *,
    attempts: int,
    counted_at: datetime,
    now: datetime,
    jitter: float,
) -> TryResult:
    """The result of a look-up: found, absent and to be sent, or to be repeated.

    From ``counted_at`` on the provider finds what it has received.
    """
    match outcome.kind:
        case OutcomeKind.OK | OutcomeKind.DUPLICATE:
            return TryResult(QueueState.SENT, FOUND)
        case OutcomeKind.NOT_FOUND if now < counted_at:
            next_at = min(now + _wait(outcome, attempts, jitter), counted_at)
            return TryResult(QueueState.UNCLEAR, NOT_COUNTED, next_at)
        case OutcomeKind.NOT_FOUND:
            return TryResult(QueueState.RETRY, outcome.detail, now)
        case OutcomeKind.CONFIG:
            wait = spread(CONFIG_BACKOFF, jitter)
        case _:
            wait = _wait(outcome, attempts, jitter)
    return TryResult(QueueState.UNCLEAR, outcome.detail, now + wait)


def _wait(outcome: CallOutcome, attempts: int, jitter: float) -> timedelta:
    wait = spread(backoff(BACKOFF, attempts), jitter)
    if outcome.retry_after is None:
        return wait
    return max(wait, min(timedelta(seconds=outcome.retry_after), MAX_RETRY_AFTER))


def is_given_up(
    operation: Operation,
    *,
    created_at: datetime,
    now: datetime,
    click_max_age: timedelta,
    sale_max_age: timedelta,
) -> bool:
    """Whether the delivery is too late to be useful."""
    limit = click_max_age if operation is Operation.CLICK else sale_max_age
    return now - created_at > limit


def is_lasting(*, failing_since: datetime | None, now: datetime) -> bool:
    """Whether a receiver has failed for long; unsent deliveries do not count."""
    return failing_since is not None and now - failing_since >= LASTING


def is_answer(kind: OutcomeKind) -> bool:
    """Whether the outcome shows a working provider; else it counts for the breaker.

    A refusal is an answer. A wrong setting counts as a failure: it fails for every row,
    and a pause with one trial spares them all the long wait.
    """
    return kind in _ANSWERS
