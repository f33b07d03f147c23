"""What becomes of an e-mail after a try."""

from __future__ import annotations

import smtplib
import socket
import ssl
from datetime import UTC, datetime, timedelta

from affiliates.emails.rules import BACKOFF, judge_error
from affiliates.outbox.queue.rules import TryResult, backoff
from tests.cases import each

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def refused_recipient(code: int, text: bytes) -> Exception:
    return smtplib.SMTPRecipientsRefused({"ada@example.com": (code, text)})


class ProviderError(Exception):
    def __init__(self, status_code: int | None) -> None:
        super().__init__("ada@example.com is no good")
        self.status_code = status_code


def judge(error: Exception, *, may_have_arrived: bool = False, age=timedelta(0)):
    return judge_error(
        error,
        may_have_arrived=may_have_arrived,
        attempt=1,
        queued_at=NOW - age,
        now=NOW,
    )


@each(
    ("error", "may_have_arrived", "state", "detail"),
    [
        (
            refused_recipient(550, b"5.1.1 <ada@example.com> is unknown"),
            False,
            "failed",
            "Refused for its recipient: 550 5.1.1.",
        ),
        (
            refused_recipient(550, b"no such user ada@example.com"),
            False,
            "failed",
            "Refused for its recipient: 550.",
        ),
        (
            refused_recipient(450, b"4.2.0 greylisted"),
            False,
            "retry",
            "Refused for its recipient: 450 4.2.0.",
        ),
        (
            smtplib.SMTPDataError(554, b"5.7.1 spam"),
            True,
            "failed",
            "Refused for its content: 554 5.7.1.",
        ),
        (
            smtplib.SMTPDataError(451, b"later"),
            True,
            "retry",
            "Refused for its content: 451.",
        ),
        (
            smtplib.SMTPDataError(-1, b"no code at all"),
            True,
            "unclear",
            "Refused for its content: -1.",
        ),
        (
            smtplib.SMTPSenderRefused(550, b"5.7.0 not you", "us@example.com"),
            False,
            "retry",
            "The mail server cannot be used: 550 5.7.0.",
        ),
        (
            smtplib.SMTPAuthenticationError(535, "5.7.8 wrong password"),
            False,
            "retry",
            "The mail server cannot be used: 535 5.7.8.",
        ),
        (
            smtplib.SMTPServerDisconnected("ada@example.com"),
            False,
            "retry",
            "The mail server cannot be used (SMTPServerDisconnected).",
        ),
        (
            smtplib.SMTPServerDisconnected("ada@example.com"),
            True,
            "unclear",
            "No answer, it may have arrived (SMTPServerDisconnected).",
        ),
        (
            TimeoutError(),
            True,
            "unclear",
            "No answer, it may have arrived (TimeoutError).",
        ),
        (
            ConnectionRefusedError(),
            True,
            "retry",
            "The mail server cannot be used (ConnectionRefusedError).",
        ),
        (
            socket.gaierror(),
            True,
            "retry",
            "The mail server cannot be used (gaierror).",
        ),
        (
            ssl.SSLCertVerificationError(),
            False,
            "retry",
            "The mail server cannot be used (SSLCertVerificationError).",
        ),
        (
            ValueError("ada@example.com"),
            False,
            "failed",
            "It cannot be written as an e-mail (ValueError).",
        ),
        (ProviderError(422), True, "failed", "Refused by the provider: 422."),
        (ProviderError(401), True, "retry", "Refused by the provider: 401."),
        (ProviderError(429), True, "retry", "Refused by the provider: 429."),
        (ProviderError(503), True, "retry", "Refused by the provider: 503."),
        (
            ProviderError(500),
            True,
            "unclear",
            "No answer, it may have arrived (ProviderError).",
        ),
        (
            ProviderError(None),
            True,
            "unclear",
            "No answer, it may have arrived (ProviderError).",
        ),
    ],
)
def test_error_decides_whether_it_is_sent_again(error, may_have_arrived, state, detail):
    result = judge(error, may_have_arrived=may_have_arrived)

    next_at = NOW + timedelta(minutes=1) if state == "retry" else None
    assert result == TryResult(state, detail, next_at)


def test_given_up_after_three_days():
    error = ConnectionRefusedError()
    almost = timedelta(days=3) - timedelta(microseconds=1)

    assert judge(error, age=almost).state == "retry"
    assert judge(error, age=timedelta(days=3)) == TryResult(
        "given_up",
        "Given up after 3 days. The mail server cannot be used "
        "(ConnectionRefusedError).",
    )


def test_unclear_is_not_given_up_but_shown():
    result = judge(TimeoutError(), may_have_arrived=True, age=timedelta(days=9))

    assert result.state == "unclear"


def test_waits_grow_to_six_hours():
    waits = [backoff(BACKOFF, attempt) for attempt in range(1, 9)]

    assert waits == [*BACKOFF, timedelta(hours=6), timedelta(hours=6)]
    assert waits == sorted(waits)
