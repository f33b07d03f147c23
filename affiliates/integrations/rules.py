"""When a delivery is sent, sent again, given up: pure decisions.

Nothing is lost: whatever cannot be resolved by machine stays visible, with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from affiliates.core.enums import LabelledEnum
from affiliates.integrations.pacing import MAX_RETRY_AFTER, backoff, spread
from affiliates.integrations.types import (
    CallFailed,
    CallOutcome,
    FailureKind,
    Operation,
    OutcomeKind,
    Response,
    broken,
    rejected,
)


class DeliveryState(LabelledEnum):
    QUEUED = "queued", "Waiting to be sent"
    SENDING = "sending", "Being sent"
    RETRY = "retry", "Will be sent again"
    AMBIGUOUS = "ambiguous", "Sent; whether it arrived is not known"
    DONE = "done", "Delivered"
    DUPLICATE = "duplicate", "Known to the provider already"
    FAILED = "failed", "Refused by the provider"
    DEAD = "dead", "Given up"

    @property
    def is_open(self) -> bool:
        return not self.has_arrived and self not in {self.FAILED, self.DEAD}

    @property
    def has_arrived(self) -> bool:
        return self in {self.DONE, self.DUPLICATE}


class WebhookEnd(LabelledEnum):
    """Why an affiliate's webhook is off, where the affiliate did not switch it off."""

    GONE = "gone", "The receiver answered 410 Gone"
    FAILING = "failing", "Nothing was accepted for three days"
    SUSPENDED = "suspended", "The affiliate was suspended"
    STAFF = "staff", "Switched off by staff"


class AmbiguousSales(LabelledEnum):
    """What to do with a sale of which nobody can say whether it arrived."""

    LOOK_UP = "look_up", "Look it up, send it again only when it is not there"
    RESEND = "resend", "Send it again (the provider may count it twice)"
    HOLD = "hold", "Leave it to a person"


SWITCHED_OFF = "The integration was switched off."
# An affiliate's webhook that accepts nothing for so long is switched off.
LASTING = timedelta(days=3)

# A wrong setting mends itself when somebody saves it; until then a try now and then.
CONFIG_BACKOFF = timedelta(hours=6)
# A provider that answers late may still be at work on what was sent.
LOOKUP_DELAY = timedelta(seconds=20)
# So often a sale is looked up and sent anew at that pace; then the backoff begins.
QUICK_LOOKUPS = 5
# How long a sale waits for its visitor's click before it goes without.
CLICK_PATIENCE = timedelta(minutes=10)
# A later sale must not take an earlier one's click along, but nor must a sale that cannot
# be sent at all cost its visitor's later ones.
SALE_PATIENCE = timedelta(days=1)
# How often a reversal looks whether its sale has arrived.
SALE_WAIT = timedelta(minutes=5)
# The provider was reached and dealt with the request, whatever it said.
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


class DeliveryStep(LabelledEnum):
    """What to do with a due delivery."""

    SEND = "send", "Send it"
    LOOK_UP = "look_up", "Ask the provider whether it has it"
    HOLD = "hold", "Leave it to a person"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is stored of a delivery after an attempt. ``next_at`` None: nothing follows."""

    state: DeliveryState
    next_at: datetime | None


def is_repeatable(operation: Operation, *, is_partial: bool = False) -> bool:
    """Whether doing it twice does no harm at any provider.

    A click twice is the same visitor and affiliate; a look-up changes nothing; a whole
    sale can be taken back once only; an event keeps its identifier. A sale, a lead or a
    part of a sale can not.
    """
    if operation is Operation.REVERSAL:
        return not is_partial
    return operation not in {Operation.SALE, Operation.LEAD}


def policy_for(operation: Operation, policy: AmbiguousSales) -> AmbiguousSales:
    """A part taken back leaves nothing to look for, and must not be taken twice."""
    return AmbiguousSales.HOLD if operation is Operation.REVERSAL else policy


def is_uncertain(
    state: DeliveryState, operation: Operation, *, is_partial: bool
) -> bool:
    """Whether it may have arrived although nobody recorded it.

    A due delivery that is still SENDING lost its sender between sending and recording.
    """
    if state is DeliveryState.SENDING:
        return not is_repeatable(operation, is_partial=is_partial)
    return state is DeliveryState.AMBIGUOUS


def next_step(
    state: DeliveryState,
    operation: Operation,
    *,
    is_partial: bool,
    policy: AmbiguousSales,
    can_look_up: bool,
) -> DeliveryStep:
    """What to do with a delivery whose time has come."""
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
        kind = OutcomeKind.RETRY if is_certain else OutcomeKind.AMBIGUOUS
        return CallOutcome(kind, detail, retry_after=_retry_after(response))
    if status in _FINAL_STATUSES:
        return rejected(detail)
    return broken(detail)


def _retry_after(response: Response) -> int | None:
    """Seconds the provider asks to wait; a date is not read, the backoff serves."""
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
) -> Resolution:
    """What follows an outcome. ``attempts`` counts this one; ``jitter`` is -1 to 1."""
    match outcome.kind:
        case OutcomeKind.OK:
            return Resolution(DeliveryState.DONE, None)
        case OutcomeKind.DUPLICATE:
            return Resolution(DeliveryState.DUPLICATE, None)
        case OutcomeKind.REJECTED | OutcomeKind.NOT_FOUND | OutcomeKind.GONE:
            return Resolution(DeliveryState.FAILED, None)
        case OutcomeKind.CONFIG:
            return Resolution(DeliveryState.RETRY, now + spread(CONFIG_BACKOFF, jitter))
        case OutcomeKind.AMBIGUOUS:
            return _resolve_ambiguous(
                attempts, policy=policy, can_look_up=can_look_up, now=now, jitter=jitter
            )
    wait = _wait(outcome, attempts, jitter)
    return Resolution(DeliveryState.RETRY, now + wait)


def _resolve_ambiguous(
    attempts: int,
    *,
    policy: AmbiguousSales,
    can_look_up: bool,
    now: datetime,
    jitter: float,
) -> Resolution:
    if policy is AmbiguousSales.RESEND:
        wait = spread(backoff(attempts), jitter)
        return Resolution(DeliveryState.RETRY, now + wait)
    if policy is AmbiguousSales.LOOK_UP and can_look_up:
        over = attempts - QUICK_LOOKUPS
        wait = LOOKUP_DELAY if over <= 0 else spread(backoff(over), jitter)
        return Resolution(DeliveryState.AMBIGUOUS, now + wait)
    return Resolution(DeliveryState.AMBIGUOUS, None)


def resolve_lookup(
    outcome: CallOutcome, *, attempts: int, now: datetime, jitter: float
) -> Resolution:
    """What follows a look-up: it is there, it is not and may be sent, or ask again."""
    match outcome.kind:
        case OutcomeKind.OK | OutcomeKind.DUPLICATE:
            return Resolution(DeliveryState.DONE, None)
        case OutcomeKind.NOT_FOUND:
            return Resolution(DeliveryState.RETRY, now)
        case OutcomeKind.CONFIG:
            wait = spread(CONFIG_BACKOFF, jitter)
        case _:
            wait = _wait(outcome, attempts, jitter)
    return Resolution(DeliveryState.AMBIGUOUS, now + wait)


def _wait(outcome: CallOutcome, attempts: int, jitter: float) -> timedelta:
    wait = spread(backoff(attempts), jitter)
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
    """Whether it is too late for the delivery to be of use."""
    limit = click_max_age if operation is Operation.CLICK else sale_max_age
    return now - created_at > limit


def is_lasting(*, failing_since: datetime | None, now: datetime) -> bool:
    """Whether a receiver has failed for long: not by what nobody tried to send it."""
    return failing_since is not None and now - failing_since >= LASTING


def is_answer(kind: OutcomeKind) -> bool:
    """Whether the outcome shows a provider at work; else it counts for the breaker.

    A refusal is an answer. A wrong setting counts as a failure: it fails for every row,
    and a pause with one trial spares them all the long wait.
    """
    return kind in _ANSWERS
