"""Sends what is due, one e-mail after the other; each step is committed by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime

from django.core.mail import EmailMultiAlternatives
from django.db import Error

from affiliates.emails import services
from affiliates.emails.links import unsubscribe_url
from affiliates.emails.mail_server import MailServer, NothingSent
from affiliates.emails.models import Email
from affiliates.emails.rules import EmailState, Judgement, Unwritable, judge_error

Clock = Callable[[], datetime]


class MailServerUnusable(Exception):  # noqa: N818 - says what happened
    """It cannot be reached, or does not let us in: the other e-mails keep their turn."""


def send_due(
    *, now: Clock, should_stop: Callable[[], bool] = lambda: False
) -> Counter[EmailState]:
    """Send what is due. Into which states e-mails were brought, and how often.

    Any number of processes may do this at once and any of them may die at any moment.
    Raises MailServerUnusable after the first e-mail that could not be tried.
    """
    states = Counter({EmailState.UNCLEAR: services.close_interrupted(now=now())})
    server = MailServer()
    try:
        while not should_stop() and (email := services.take_next(now=now())):
            if (state := _send(email, server, now)) is not None:
                states[state] += 1
    finally:
        server.close()
    return states


def describe(states: Counter[EmailState]) -> str:
    """What a pass came to, in a sentence for people."""
    return (
        f"{states[EmailState.SENT]:,} sent, {states[EmailState.WAITING]:,} to be sent "
        f"again, {states[EmailState.UNCLEAR]:,} unclear, {states[EmailState.FAILED]:,} "
        "failed."
    )


def _send(email: Email, server: MailServer, now: Clock) -> EmailState | None:
    """None when it was somebody else's after all."""
    try:
        reason = services.prepare(email)
    except Error:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a host's template raises
        unwritable = Unwritable(type(error).__name__)
        return _fail(email, unwritable, now, may_have_arrived=False)
    if reason:
        return _drop(email, reason, now)
    try:
        server.connect()
    except Exception as error:
        _fail(email, error, now, may_have_arrived=False)
        raise MailServerUnusable(type(error).__name__) from error
    handover = _Handover(email, now)
    try:
        message = _message(email)
        message.message()
        server.send(message, hand_over=handover.begin)
    except _NotBegun:
        server.close()
        reason = services.why_not(email)
        return _drop(email, reason, now) if reason else None
    except Error:
        # The database's, when handing over: the lease ends by itself.
        raise
    except Exception as error:  # noqa: BLE001 - whatever a host's backend raises
        server.close()
        may_have_arrived = handover.has_begun and not isinstance(error, NothingSent)
        return _fail(email, error, now, may_have_arrived=may_have_arrived)
    services.finish_try(email, Judgement(EmailState.SENT), now=now())
    return EmailState.SENT


def _drop(email: Email, reason: str, now: Clock) -> EmailState:
    not_sent = Judgement(EmailState.NOT_SENT, reason)
    services.finish_try(email, not_sent, now=now())
    return not_sent.state


class _NotBegun(Exception):  # noqa: N818 - says what happened
    pass


class _Handover:
    def __init__(self, email: Email, now: Clock) -> None:
        self._email = email
        self._now = now
        self.has_begun = False

    def begin(self) -> None:
        if not services.begin_sending(self._email, now=self._now()):
            raise _NotBegun
        self.has_begun = True


def _fail(
    email: Email, error: Exception, now: Clock, *, may_have_arrived: bool
) -> EmailState:
    at = now()
    judgement = judge_error(
        error,
        may_have_arrived=may_have_arrived,
        attempt=email.attempt_count,
        queued_at=email.queued_at,
        now=at,
    )
    services.finish_try(email, judgement, now=at)
    return judgement.state


def _message(email: Email) -> EmailMultiAlternatives:
    headers = {"Message-ID": email.message_id}
    if url := unsubscribe_url(email):
        # RFC 8058: the mail program posts this, and its reader sees no page of ours.
        headers["List-Unsubscribe"] = f"<{url}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message = EmailMultiAlternatives(
        email.subject, email.text, to=[email.recipient], headers=headers
    )
    if email.html:
        message.attach_alternative(email.html, "text/html")
    return message
