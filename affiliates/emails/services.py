"""The only writer of the outbox of e-mails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Q, QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.core.ids import new_id
from affiliates.emails.kinds import KINDS, optional_kinds
from affiliates.emails.links import unsubscribe_url
from affiliates.emails.models import MAX_SUBJECT, Email, EmailChoice
from affiliates.emails.rendering import write
from affiliates.emails.rules import (
    INTERRUPTED,
    LEASE,
    NO_ADDRESS,
    SWITCHED_OFF,
    TEST_BRAND,
    TOLD_ALREADY,
    EmailState,
    Judgement,
)
from affiliates.emails.selectors import client_of, refusals_of
from affiliates.emails.types import EmailKind, News
from affiliates.errors import InvalidInput
from affiliates.integrations.webhooks.announce import is_unannounced


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
        recipient=recipient,
        subject=_one_line(subject),
        text=text,
        html=html,
    )
    _queue([email], now=now)


def notify_affiliates(news: Sequence[News], *, now: datetime) -> None:
    """Have affiliates read of these facts, each once, in the caller's transaction.

    Nothing is asked of the database but to take them: whose address, in which language,
    and whether they want it at all is looked up when they are sent. Nobody is told of
    what is imported.
    """
    if not news or is_unannounced():
        return
    emails = [
        Email(
            brand_id=one.brand_id,
            key=f"{one.kind}:{one.fact}",
            kind=one.kind,
            affiliate_id=one.affiliate_id,
            values=dict(one.values),
            recipient=one.recipient,
        )
        for one in news
    ]
    _queue(emails, now=now)


def notify_staff(
    kind: EmailKind,
    *,
    brand_id: int,
    fact: str,
    values: Mapping[str, Any],
    now: datetime,
) -> None:
    """As ``notify_affiliates``, at each address that the brand names for its staff."""
    if is_unannounced():
        return
    brand = Brand.objects.only("staff_emails").get(pk=brand_id)
    emails = [
        Email(
            brand_id=brand_id,
            key=f"{kind}:{fact}:{number}",
            kind=kind,
            values=dict(values),
            recipient=address,
        )
        for number, address in enumerate(brand.staff_addresses())
    ]
    _queue(emails, now=now)


def _queue(emails: Sequence[Email], *, now: datetime) -> None:
    for email in emails:
        email.message_id = f"<{new_id()}@{_own_domain()}>"
        email.next_at = email.created_at = email.queued_at = now
    Email.objects.bulk_create(emails, ignore_conflicts=True)


@transaction.atomic
def set_choices(
    affiliate_id: int, choices: Mapping[str, bool], *, now: datetime
) -> None:
    """Whether the affiliate is sent e-mails of each kind from now on.

    Also those that wait to be sent. Raises InvalidInput for a kind that may not be
    switched off, and for what is none.
    """
    for kind in sorted(choices.keys() - optional_kinds()):
        raise InvalidInput(
            "kind_not_optional", "This is no kind that can be chosen.", field=kind
        )
    for kind, wanted in choices.items():
        EmailChoice.objects.update_or_create(
            affiliate_id=affiliate_id,
            kind=kind,
            defaults={"is_wanted": wanted, "changed_at": now},
        )


def prepare(email: Email) -> str:
    """Write it, unless it was written before. Why it is not to be sent after all, or "".

    Raises whatever a host's template or adapter does.
    """
    if not email.kind:
        return ""
    if reason := why_not(email):
        return reason
    if email.subject:
        return ""
    client = client_of(email)
    email.recipient = email.recipient or client.email
    if not email.recipient:
        return NO_ADDRESS
    if KINDS[EmailKind(email.kind)].is_sent_once and not _is_first(email):
        return TOLD_ALREADY
    written = write(
        EmailKind(email.kind),
        email.values or {},
        brand=email.brand,
        language=client.language,
        zone=email.affiliate.zone() if email.affiliate else None,
        name=client.name,
        unsubscribe_url=unsubscribe_url(email),
    )
    email.subject, email.values = _one_line(written.subject), None
    email.text, email.html = written.text, written.html
    Email.objects.filter(pk=email.pk, attempt_count=email.attempt_count).update(
        recipient=email.recipient,
        subject=email.subject,
        text=email.text,
        html=email.html,
        values=None,
    )
    return ""


def why_not(email: Email) -> str:
    """Why it is not to be sent after all, as things are now, or ""."""
    if email.kind and email.brand.is_test:
        return TEST_BRAND
    return SWITCHED_OFF if refusals_of(email).exists() else ""


def _is_first(email: Email) -> bool:
    """Takes the key that one e-mail of its kind to the affiliate can have.

    Decided here, since those who queue would wait for each other.
    """
    key = f"{email.kind}:{email.affiliate_id}"
    try:
        with transaction.atomic():
            Email.objects.filter(pk=email.pk).update(key=key)
    except IntegrityError:
        return False
    return True


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
    """From here on the mail server may have it.

    False when it is somebody else's, or its kind was switched off since it was written.
    """
    mine = Email.objects.filter(
        pk=email.pk, attempt_count=email.attempt_count, state=EmailState.WAITING
    )
    wanted = mine.filter(~Exists(refusals_of(email)))
    return bool(wanted.update(state=EmailState.SENDING, next_at=now + LEASE))


def finish_try(email: Email, judgement: Judgement, *, now: datetime) -> None:
    """What came of the try. Only its own: nothing, where another has been made since.

    What is finished without having been written is emptied at once.
    """
    emptied = {} if judgement.next_at else {"values": None}
    Email.objects.filter(pk=email.pk, attempt_count=email.attempt_count).update(
        state=judgement.state,
        detail=judgement.detail,
        next_at=judgement.next_at,
        finished_at=None if judgement.next_at else now,
        **emptied,
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
        Q(recipient="") | Q(subject="")
    )


def empty_emails(*, older_than: timedelta, now: datetime) -> int:
    """Forget whom, and what, the e-mails were that were finished so long ago.

    How many that are. When and how each was sent is kept.
    """
    old = Email.objects.filter(finished_at__lt=now - older_than, next_at__isnull=True)
    return old.exclude(recipient="").update(recipient="", subject="", text="", html="")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_SUBJECT]


def _own_domain() -> str:
    _, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    domain = address.partition("@")[2]
    return domain if domain and domain.isascii() else "localhost"
