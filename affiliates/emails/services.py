"""The only writer of the outbox of e-mails."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import parseaddr

from django.conf import settings
from django.db.models import F, QuerySet

from affiliates.core.ids import new_id
from affiliates.emails.models import MAX_SUBJECT, Email
from affiliates.emails.rules import INTERRUPTED, LEASE, EmailState, Judgement


def enqueue_email(
    *,
    brand_id: int,
    key: str,
    recipient: str,
    subject: str,
    text: str,
    html: str = "",
    now: datetime,
) -> None:
    """Have this sent once the caller's transaction is committed; not if it is not.

    ``key`` says what it is about, as ``payout_destination_changed:12:client``, without
    anything personal: a second e-mail with it is not added.
    """
    email = Email(
        brand_id=brand_id,
        key=key,
        message_id=f"<{new_id()}@{_own_domain()}>",
        recipient=recipient,
        subject=" ".join(subject.split())[:MAX_SUBJECT],
        text=text,
        html=html,
        next_at=now,
        created_at=now,
        queued_at=now,
    )
    Email.objects.bulk_create([email], ignore_conflicts=True)


def take_next(*, now: datetime) -> Email | None:
    """An e-mail that is due, the caller's alone until its lease ends."""
    due = Email.objects.filter(state=EmailState.WAITING, next_at__lte=now)
    while (email := due.order_by("next_at", "pk").first()) is not None:
        # Whoever comes second changes nothing, on any database.
        is_ours = due.filter(pk=email.pk, attempt_count=email.attempt_count).update(
            attempt_count=F("attempt_count") + 1, next_at=now + LEASE
        )
        if is_ours:
            email.attempt_count += 1
            return email
    return None


def begin_sending(email: Email, *, now: datetime) -> bool:
    """From here on the mail server may have it. False when it is somebody else's."""
    return bool(
        Email.objects.filter(
            pk=email.pk, attempt_count=email.attempt_count, state=EmailState.WAITING
        ).update(state=EmailState.SENDING, next_at=now + LEASE)
    )


def finish_try(email: Email, judgement: Judgement, *, now: datetime) -> None:
    """What came of the try. Only its own: nothing, where another has been made since."""
    Email.objects.filter(pk=email.pk, attempt_count=email.attempt_count).update(
        state=judgement.state,
        detail=judgement.detail,
        next_at=judgement.next_at,
        finished_at=None if judgement.next_at else now,
    )


def close_interrupted(*, now: datetime) -> int:
    """What was being sent by a process that is gone is unclear. How many that are."""
    return Email.objects.filter(state=EmailState.SENDING, next_at__lte=now).update(
        state=EmailState.UNCLEAR, detail=INTERRUPTED, next_at=None, finished_at=now
    )


def send_again(emails: QuerySet[Email], *, now: datetime) -> int:
    """Queue those that are unclear or have failed, and still have their text.

    How many that are. Whoever has got one already gets it twice, under the same
    Message-ID.
    """
    return repeatable(emails).update(
        state=EmailState.WAITING, next_at=now, queued_at=now, finished_at=None
    )


def repeatable(emails: QuerySet[Email]) -> QuerySet[Email]:
    return emails.filter(state__in=[EmailState.UNCLEAR, EmailState.FAILED]).exclude(
        recipient=""
    )


def empty_emails(*, older_than: timedelta, now: datetime) -> int:
    """Forget whom, and what, the e-mails were that were finished so long ago.

    How many that are. When and how each was sent is kept.
    """
    old = Email.objects.filter(finished_at__lt=now - older_than, next_at__isnull=True)
    return old.exclude(recipient="").update(recipient="", subject="", text="", html="")


def _own_domain() -> str:
    _, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    domain = address.partition("@")[2]
    return domain if domain and domain.isascii() else "localhost"
