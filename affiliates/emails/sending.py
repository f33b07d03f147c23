"""Sends due e-mails one after the other; each step is committed by itself."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime, timedelta

from django.core.mail import EmailMultiAlternatives
from django.db import Error
from django.utils.html import escape

from affiliates.conf import conf
from affiliates.emails import services
from affiliates.emails.digests.services import collect
from affiliates.emails.links import open_link, unsubscribe_url
from affiliates.emails.mail_server import MailServer, NothingSent
from affiliates.emails.models import Email
from affiliates.emails.rules import HIDDEN_LINK, Unwritable, judge_error
from affiliates.emails.selectors import Readers, readers_of
from affiliates.outbox.queue.rules import QueueState, TryResult
from affiliates.outbox.queue.services import release
from affiliates.telemetry.request_ids import within_request
from affiliates.telemetry.spans import traced
from affiliates.worker import purges
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, JobFailed, ShouldStop

logger = logging.getLogger(__name__)


class MailServerUnusable(Exception):  # noqa: N818 - says what happened
    """The server is unreachable or refuses the login: the other e-mails stay queued."""


def send_due(
    *, now: Clock, should_stop: Callable[[], bool] = lambda: False
) -> Counter[QueueState]:
    """Sends due e-mails. Returns how many reached each state.

    Any number of processes may do this at once and any of them may die at any moment.
    Raises MailServerUnusable after the first e-mail that could not be tried.
    """
    states = Counter({QueueState.UNCLEAR: services.close_interrupted(now=now())})
    server = MailServer()
    leased: deque[Email] = deque()
    readers: Readers | None = None
    try:
        while not should_stop():
            if not leased:
                leased.extend(services.take_due(now=now()))
                readers = _readers_of(leased)
            if not leased:
                break
            email = leased.popleft()
            with within_request(email.request_id):
                if (state := _send(email, readers, server, now)) is not None:
                    states[state] += 1
                    extra = {"email": email.pk, "kind": email.kind, "state": str(state)}
                    logger.info("E-mail attempted", extra=extra)
    finally:
        server.close()
        # Without a database, the leases end by themselves.
        with suppress(Error):
            release(leased, now=now())
    return states


@register(
    "emails",
    every=timedelta(seconds=5),
    does="Sends the e-mails that wait in the outbox.",
    needs="The mail server of your `MAILERS` or `EMAIL_*` settings.",
)
def send_emails(now: Clock, should_stop: ShouldStop) -> str:
    try:
        states = send_due(now=now, should_stop=should_stop)
    except MailServerUnusable as error:
        raise JobFailed(f"The mail server cannot be used ({error})") from error
    return describe(states) if states.total() else ""


@purges.register("e-mails emptied")
def empty_old(*, now: datetime) -> int:
    kept = timedelta(days=conf.keep_emails_days)
    return services.empty_emails(older_than=kept, now=now)


def describe(states: Counter[QueueState]) -> str:
    """Describes the result of a pass in a sentence."""
    return (
        f"{states[QueueState.SENT]:,} sent, {states[QueueState.RETRY]:,} to be sent "
        f"again, {states[QueueState.UNCLEAR]:,} unclear, {states[QueueState.FAILED]:,} "
        f"failed, {states[QueueState.GIVEN_UP]:,} given up."
    )


def _readers_of(emails: Collection[Email]) -> Readers | None:
    """None if the host fails: each e-mail then asks for itself and says why it fails."""
    try:
        return readers_of(emails)
    except Error:
        raise
    except Exception as error:  # noqa: BLE001 - any error of a host's adapter
        logger.info("The host's clients: %s", type(error).__name__)
        return None


@traced("affiliates.email")
def _send(
    email: Email, readers: Readers | None, server: MailServer, now: Clock
) -> QueueState | None:
    """Sends one e-mail. None if another process has taken it over."""
    try:
        if collect(email, now=now()):
            return QueueState.NOT_SENT
        reason = services.prepare(email, readers=readers)
        link = "" if reason else open_link(email.link) or unsubscribe_url(email)
    except Error:
        raise
    except Exception as error:  # noqa: BLE001 - any error of a host's template
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
        message = _message(email, link=link)
        # Raises for what cannot be written. The backend writes it for its own protocol.
        message.message()
        server.send(message, hand_over=handover.begin)
    except _NotBegun:
        server.close()
        reason = services.why_not(email)
        return _drop(email, reason, now) if reason else None
    except Error:
        # From the database, in ``hand_over``: the lease ends by itself.
        raise
    except Exception as error:  # noqa: BLE001 - any error of a host's backend
        server.close()
        may_have_arrived = handover.has_begun and not isinstance(error, NothingSent)
        return _fail(email, error, now, may_have_arrived=may_have_arrived)
    services.finish_try(email, TryResult(QueueState.SENT), now=now())
    return QueueState.SENT


def _drop(email: Email, reason: str, now: Clock) -> QueueState:
    not_sent = TryResult(QueueState.NOT_SENT, reason)
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
) -> QueueState:
    at = now()
    result = judge_error(
        error,
        may_have_arrived=may_have_arrived,
        attempt=services.number_of_try(email),
        queued_at=email.queued_at,
        now=at,
    )
    services.finish_try(email, result, now=at)
    return result.state


def _message(email: Email, *, link: str) -> EmailMultiAlternatives:
    """Builds the message with the link, which only the mail server gets."""
    headers = {"Message-ID": email.message_id}
    if link and not email.link:
        # RFC 8058: the mail program posts to it, and the reader sees no page.
        headers["List-Unsubscribe"] = f"<{link}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    text = email.text.replace(HIDDEN_LINK, link)
    message = EmailMultiAlternatives(
        email.subject, text, to=[email.recipient], headers=headers
    )
    if email.html:
        html = email.html.replace(HIDDEN_LINK, escape(link))
        message.attach_alternative(html, "text/html")
    return message
