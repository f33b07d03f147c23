"""Decides the state of an e-mail after a try at sending it."""

from __future__ import annotations

import re
import smtplib
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

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
UNREACHABLE = "The mail server cannot be used"
SWITCHED_OFF = "The affiliate has switched this kind off."
NO_ADDRESS = "The affiliate has no e-mail address."
TEST_BRAND = "It is of a test brand."
TOLD_ALREADY = "Another e-mail tells of that."
# Replaces a secret link in the stored text. Written as an address, so that templates
# treat it as a link.
HIDDEN_LINK = "https://link-not-shown.invalid/"
# Such as 5.1.1. The text after it may name the recipient.
ENHANCED_STATUS = re.compile(rb"[245]\.\d{1,3}\.\d{1,3}\b")
# From providers with an API: the e-mail itself is wrong.
REFUSED_STATUSES = (400, 413, 422)


class EmailState(TextChoices):
    WAITING = "waiting", "Waiting"
    SENDING = "sending", "Being sent"
    SENT = "sent", _("Sent")
    UNCLEAR = "unclear", _("Sent; whether it arrived is not known")
    FAILED = "failed", _("Failed")
    NOT_SENT = "not_sent", "Not sent"


class Unwritable(Exception):  # noqa: N818 - says what happened
    """A template or the adapter failed. It may be repaired before the last try."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The state after a try, and its reason. ``next_at`` is set if a retry follows."""

    state: EmailState
    detail: str = ""
    next_at: datetime | None = None


def judge_error(
    error: Exception,
    *,
    may_have_arrived: bool,
    attempt: int,
    queued_at: datetime,
    now: datetime,
) -> Judgement:
    """A refusal is final, a possible arrival is unclear, other errors are retried.

    ``may_have_arrived`` says that the e-mail was being sent: without an answer it is
    unknown whether the server has it.
    """
    state, detail = _read_error(error, may_have_arrived=may_have_arrived)
    if state is not EmailState.WAITING:
        return Judgement(state, detail)
    if now - queued_at >= PATIENCE:
        return Judgement(EmailState.FAILED, f"{GIVEN_UP} {detail}")
    return Judgement(state, detail, now + backoff(attempt))


def backoff(attempt: int) -> timedelta:
    """The wait after this many tries: it grows up to six hours."""
    return BACKOFF[min(attempt, len(BACKOFF)) - 1]


def _read_error(error: Exception, *, may_have_arrived: bool) -> tuple[EmailState, str]:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
        return _by_code(code), f"Refused for its recipient: {_codes(code, text)}."
    if isinstance(error, smtplib.SMTPDataError):
        code = error.smtp_code
        state = _by_code(code) if 400 <= code < 600 else EmailState.UNCLEAR
        codes = _codes(code, error.smtp_error)
        return state, f"Refused for its content: {codes}."
    if isinstance(error, smtplib.SMTPResponseException):
        codes = _codes(error.smtp_code, error.smtp_error)
        return EmailState.WAITING, f"{UNREACHABLE}: {codes}."
    return _without_code(error, may_have_arrived=may_have_arrived)


def _without_code(
    error: Exception, *, may_have_arrived: bool
) -> tuple[EmailState, str]:
    if isinstance(error, Unwritable):
        return EmailState.WAITING, f"It cannot be written ({error})."
    name = type(error).__name__
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and (400 <= status < 500 or status == 503):
        is_refused = status in REFUSED_STATUSES
        state = EmailState.FAILED if is_refused else EmailState.WAITING
        return state, f"Refused by the provider: {status}."
    nothing_sent = isinstance(error, ConnectionRefusedError | socket.gaierror)
    if may_have_arrived and not nothing_sent:
        return EmailState.UNCLEAR, f"No answer, it may have arrived ({name})."
    if isinstance(error, ValueError) and not isinstance(error, OSError):
        return EmailState.FAILED, f"It cannot be written as an e-mail ({name})."
    return EmailState.WAITING, f"{UNREACHABLE} ({name})."


def _by_code(code: int) -> EmailState:
    return EmailState.FAILED if code >= 500 else EmailState.WAITING


def _codes(code: int, text: bytes | str) -> str:
    raw = text if isinstance(text, bytes) else text.encode()
    found = ENHANCED_STATUS.match(raw)
    return f"{code} {found[0].decode()}" if found else str(code)
