"""Decides the state of an e-mail after a try at sending it."""

from __future__ import annotations

import re
import smtplib
import socket
from datetime import datetime, timedelta

from affiliates.outbox.queue.rules import QueueState, TryResult, backoff

# Longer than the longest conversation with a mail server, with all its timeouts.
LEASE = timedelta(minutes=10)
BACKOFF = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(hours=1),
    timedelta(hours=3),
    timedelta(hours=6),
)
PATIENCE = timedelta(days=3)
GIVEN_UP = f"Given up after {PATIENCE.days} days."
INTERRUPTED = "The process that was sending it ended before it knew the answer."
RESTORED = (
    "It may have been sent before the database was restored, which does not know it."
)
UNREACHABLE = "The mail server cannot be used"
HAS_LEFT = "The affiliate has left the program."
SWITCHED_OFF = "The affiliate has switched this kind off."
NO_ADDRESS = "The affiliate has no e-mail address."
TEST_BRAND = "It is of a test brand."
TOLD_ALREADY = "Another e-mail tells of that."
IN_A_DIGEST = "It is part of a digest."
# Replaces a secret link in the stored text. Written as an address, so that templates
# treat it as a link.
HIDDEN_LINK = "https://link-not-shown.invalid/"
# Such as 5.1.1. The text after it may name the recipient.
ENHANCED_STATUS = re.compile(rb"[245]\.\d{1,3}\.\d{1,3}\b")
# From providers with an API: the e-mail itself is wrong.
REFUSED_STATUSES = (400, 413, 422)


class Unwritable(Exception):  # noqa: N818 - says what happened
    """A template or the adapter failed. It may be repaired before the last try."""


def judge_error(
    error: Exception,
    *,
    may_have_arrived: bool,
    attempt: int,
    queued_at: datetime,
    now: datetime,
) -> TryResult:
    """A refusal is final, a possible arrival is unclear, other errors are retried.

    ``may_have_arrived`` says that the e-mail was being sent: without an answer it is
    unknown whether the server has it.
    """
    state, detail = _read_error(error, may_have_arrived=may_have_arrived)
    if state is not QueueState.RETRY:
        return TryResult(state, detail)
    if now - queued_at >= PATIENCE:
        return TryResult(QueueState.GIVEN_UP, f"{GIVEN_UP} {detail}")
    return TryResult(state, detail, now + backoff(BACKOFF, attempt))


def _read_error(error: Exception, *, may_have_arrived: bool) -> tuple[QueueState, str]:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
        return _by_code(code), f"Refused for its recipient: {_codes(code, text)}."
    if isinstance(error, smtplib.SMTPDataError):
        code = error.smtp_code
        state = _by_code(code) if 400 <= code < 600 else QueueState.UNCLEAR
        codes = _codes(code, error.smtp_error)
        return state, f"Refused for its content: {codes}."
    if isinstance(error, smtplib.SMTPResponseException):
        codes = _codes(error.smtp_code, error.smtp_error)
        return QueueState.RETRY, f"{UNREACHABLE}: {codes}."
    return _without_code(error, may_have_arrived=may_have_arrived)


def _without_code(
    error: Exception, *, may_have_arrived: bool
) -> tuple[QueueState, str]:
    if isinstance(error, Unwritable):
        return QueueState.RETRY, f"It cannot be written ({error})."
    name = type(error).__name__
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and (400 <= status < 500 or status == 503):
        is_refused = status in REFUSED_STATUSES
        state = QueueState.FAILED if is_refused else QueueState.RETRY
        return state, f"Refused by the provider: {status}."
    nothing_sent = isinstance(error, ConnectionRefusedError | socket.gaierror)
    if may_have_arrived and not nothing_sent:
        return QueueState.UNCLEAR, f"No answer, it may have arrived ({name})."
    if isinstance(error, ValueError) and not isinstance(error, OSError):
        return QueueState.FAILED, f"It cannot be written as an e-mail ({name})."
    return QueueState.RETRY, f"{UNREACHABLE} ({name})."


def _by_code(code: int) -> QueueState:
    return QueueState.FAILED if code >= 500 else QueueState.RETRY


def _codes(code: int, text: bytes | str) -> str:
    raw = text if isinstance(text, bytes) else text.encode()
    match_ = ENHANCED_STATUS.match(raw)
    return f"{code} {match_[0].decode()}" if match_ else str(code)
