"""One conversation with a provider: the adapter decides, the transport calls."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from affiliates.outbox.http.types import Call, CallFailed, FailureKind, Response
from affiliates.outbox.protocol import Run, Unsupported
from affiliates.outbox.rules import is_repeatable, judge_failure
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind, rejected

A = TypeVar("A")
logger = logging.getLogger(__name__)

TOO_LATE = "It took too long to go on: the delivery may be another sender's by now."
INTERNAL_ERROR = "Internal error while talking with the provider: see the log."


class CallSender(Protocol):
    """Sends calls: ``transport.Transport``, or a test's own class."""

    def send(self, call: Call) -> Response:
        """Returns the answer. Raises CallFailed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The result of a conversation. ``status_code`` is the last answer's."""

    outcome: CallOutcome
    call_count: int = 0
    status_code: int | None = None


def converse(
    start: Callable[[], Run],
    operation: Operation,
    *,
    sender: CallSender,
    is_partial: bool = False,
    is_late: Callable[[], bool] = lambda: False,
) -> Exchange:
    """Drives an adapter's ``run`` to its outcome; lets no exception out.

    ``is_late`` says whether another sender may have taken over: nothing more is sent
    then.
    """
    count, status = 0, None

    def send(call: Call) -> Response:
        nonlocal count, status
        # Before the first call too: the process may have been suspended meanwhile.
        if is_late():
            raise CallFailed(FailureKind.NOT_SENT, TOO_LATE)
        count += 1
        response = sender.send(call)
        status = response.status
        return response

    try:
        outcome = drive(start(), send)
    except CallFailed as failure:
        outcome = judge_failure(operation, failure, is_partial=is_partial)
    except Unsupported as error:
        outcome = rejected(str(error) or "The provider has no such operation.")
    except Exception as error:  # noqa: BLE001 - a faulty adapter must not lose a sale
        _log(error, operation)
        is_certain = count == 0 or is_repeatable(operation, is_partial=is_partial)
        kind = OutcomeKind.CONFIG if is_certain else OutcomeKind.AMBIGUOUS
        outcome = CallOutcome(kind, INTERNAL_ERROR)
    return Exchange(outcome=_storable(outcome), call_count=count, status_code=status)


def drive(run: Generator[Call, Response, A], send: Callable[[Call], Response]) -> A:
    """Runs a conversation to its end. Raises CallFailed that it does not handle."""
    try:
        call = next(run)
        while True:
            try:
                response = send(call)
            except CallFailed as failure:
                call = run.throw(failure)
            else:
                call = run.send(response)
    except StopIteration as end:
        answer: A = end.value
        return answer


def _log(error: Exception, operation: Operation) -> None:
    # The place only: an exception's text may quote the request.
    frames = traceback.extract_tb(error.__traceback__)
    logger.error(
        "%s at %s while delivering a %s",
        type(error).__name__,
        f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "unknown place",
        operation,
    )


def _storable(outcome: CallOutcome) -> CallOutcome:
    """Removes unstorable characters: an unrecorded result would be sent again."""
    known = outcome.visitor_id
    return replace(
        outcome,
        detail=_text(outcome.detail),
        visitor_id=known if known == _text(known) else "",
        remote_ref=_text(outcome.remote_ref),
    )


def _text(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode()
