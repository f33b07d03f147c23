"""The only writer of the outbox of e-mails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, Q, QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.core.ids import new_id
from affiliates.emails.digests.sums import described
from affiliates.emails.kinds import KINDS, ends_on_leaving, is_optional
from affiliates.emails.links import has_unsubscribe_url, seal_link
from affiliates.emails.models import MAX_SUBJECT, Email
from affiliates.emails.rendering import write
from affiliates.emails.rules import (
    HAS_LEFT,
    HIDDEN_LINK,
    INTERRUPTED,
    LEASE,
    NO_ADDRESS,
    RESTORED,
    SWITCHED_OFF,
    TEST_BRAND,
    TOLD_ALREADY,
)
from affiliates.emails.selectors import Readers, client_of, refusals_of, wanted_sums
from affiliates.emails.types import EmailKind, News
from affiliates.outbox.queue import services as queue
from affiliates.outbox.queue.rules import (
    NEEDS_A_PERSON,
    TRIED_NEXT,
    QueueState,
    TryResult,
)
from affiliates.webhooks.announce import is_unannounced

TO_SEND = (QueueState.WAITING, QueueState.RETRY)
WRITTEN = ("recipient", "subject", "text", "html", "values", "facts")
# How many e-mails a sender leases at once.
BATCH = 20


def enqueue_email(
    *,
    brand_id: int | None,
    key: str,
    recipient: str,
    subject: str,
    text: str,
    html: str = "",
    link: str = "",
    now: datetime,
) -> None:
    """Queues an e-mail in the caller's transaction.

    ``key`` names its event without personal data, such as
    ``payout_destination_changed:12:client``: a second e-mail with it is not added.
    ``link`` grants access to its owner, so the texts have ``HIDDEN_LINK`` in its place.
    """
    email = Email(
        brand_id=brand_id,
        key=key,
        recipient=recipient,
        subject=_one_line(subject),
        text=text,
        html=html,
        link=seal_link(link),
    )
    queue_emails([email], now=now)


def notify_affiliates(news: Sequence[News], *, now: datetime) -> None:
    """Notifies affiliates of these facts, each once, in the caller's transaction.

    It only inserts rows: the address, the language and the affiliate's choice are
    looked up when the e-mail is sent. Imported facts notify nobody.
    """
    if not news or is_unannounced():
        return
    emails = [
        Email(
            brand_id=item.brand_id,
            key=f"{item.kind}:{item.fact}",
            kind=item.kind,
            affiliate_id=item.affiliate_id,
            values=dict(item.values),
            recipient=item.recipient,
        )
        for item in news
    ]
    queue_emails(emails, now=now)


def notify_staff(
    kind: EmailKind,
    *,
    brand_id: int,
    fact: str,
    values: Mapping[str, Any],
    now: datetime,
) -> None:
    """Notifies each of the brand's staff addresses, as ``notify_affiliates`` does."""
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
    queue_emails(emails, now=now)


def queue_emails(
    emails: Sequence[Email], *, now: datetime, due: datetime | None = None
) -> None:
    """Adds them to the outbox, to be sent at ``due`` or else at once."""
    for email in emails:
        email.message_id = f"<{new_id()}@{_own_domain()}>"
        email.created_at = now
        email.next_at = email.queued_at = due or now
    Email.objects.bulk_create(emails, ignore_conflicts=True)


def prepare(email: Email, *, readers: Readers | None = None) -> str:
    """Writes it unless already written. Returns why it must not be sent, or "".

    What was written is stored with the next step of the try. ``readers`` are those of a
    batch; without them host and choices are asked. Raises errors of the host's code.
    """
    if not email.kind or email.brand is None:
        return ""
    if reason := why_not(email, readers=readers):
        return reason
    if email.values is None and email.subject:
        return ""
    is_digest = email.kind == EmailKind.DIGEST
    if is_digest:
        email.values = wanted_sums(email)
    client = client_of(email, readers=readers)
    email.recipient = email.recipient or client.email
    if not email.recipient:
        return NO_ADDRESS
    kind, sums = EmailKind(email.kind), email.values or {}
    if KINDS[kind].is_sent_once and not _is_first(email):
        return TOLD_ALREADY
    values = described(sums, since=email.created_at) if is_digest else sums
    written = write(
        kind,
        values,
        brand=email.brand,
        language=client.language,
        zone=email.affiliate.zone() if email.affiliate else None,
        name=client.name,
        unsubscribe_url=HIDDEN_LINK if has_unsubscribe_url(email) else "",
    )
    email.subject = _one_line(written.subject)
    email.values = email.values if is_digest else None
    email.facts = KINDS[kind].facts(values)
    email.text, email.html = written.text, written.html
    email.written = {name: getattr(email, name) for name in WRITTEN}
    return ""


def why_not(email: Email, *, readers: Readers | None = None) -> str:
    """Why it must not be sent now, or "". ``readers`` as in ``prepare``."""
    if email.kind and email.brand is not None and email.brand.is_test:
        return TEST_BRAND
    has_left = email.affiliate is not None and email.affiliate.has_left
    if has_left and ends_on_leaving(email.kind):
        return HAS_LEFT
    if email.kind == EmailKind.DIGEST and email.values is not None:
        return "" if wanted_sums(email) else SWITCHED_OFF
    if readers is None:
        is_refused = refusals_of(email).exists()
    else:
        is_refused = (email.affiliate_id, email.kind) in readers.refused
    return SWITCHED_OFF if is_refused and is_optional(email.kind) else ""


def _is_first(email: Email) -> bool:
    """Takes the unique key of this kind for the affiliate; False if it is taken.

    Done here, since callers that queue would wait for each other.
    """
    key = f"{email.kind}:{email.affiliate_id}"
    try:
        with transaction.atomic():
            Email.objects.filter(pk=email.pk).update(key=key)
    except IntegrityError:
        return False
    return True


def take_due(*, now: datetime, limit: int = BATCH) -> Sequence[Email]:
    """Leases due e-mails to the caller, with the brands and affiliates they name."""
    due = Email.objects.filter(state__in=TO_SEND, next_at__lte=now)
    rows = due.prefetch_related("brand__domains", "affiliate__brand")
    return queue.take(rows.order_by("next_at", "pk"), limit=limit, until=now + LEASE)


def begin_sending(email: Email, *, now: datetime) -> bool:
    """Records that from now on the mail server may have it.

    False if another process has it or its kind was turned off since it was written.
    """
    wanted = ~Exists(refusals_of(email))
    where = Q(wanted) if is_optional(email.kind) else None
    is_begun = queue.begin(email, until=now + LEASE, where=where, **email.written)
    if is_begun:
        email.written = {}
    return is_begun


def number_of_try(email: Email) -> int:
    """The number of the current try: it is counted once it was begun."""
    return email.attempt_count + (email.state != QueueState.SENDING)


def finish_try(email: Email, result: TryResult, *, now: datetime) -> None:
    """Records the result of its own try; does nothing if a later one has begun.

    Clears the values of e-mails that end unsent, and the link of those that nobody can
    send again.
    """
    number = number_of_try(email)
    emptied: dict[str, Any] = {**email.written, "attempt_count": number}
    if not result.next_at:
        emptied |= {"values": None, "finished_at": now}
    if result.state in (QueueState.SENT, QueueState.NOT_SENT):
        emptied["link"] = ""
    # By its number too, so that an answer after ``close_interrupted`` is recorded.
    begun = Email.objects.filter(pk=email.pk, attempt_count=number)
    mine = begun if email.state == QueueState.SENDING else None
    queue.finish(email, result, now=now, rows=mine, **emptied)


def close_interrupted(*, now: datetime) -> int:
    """Marks e-mails of dead senders as unclear; returns their number."""
    return queue.interrupted(Email.objects.all(), now=now).update(
        state=QueueState.UNCLEAR, detail=INTERRUPTED, next_at=None, finished_at=now
    )


def doubt_emails(*, restored_at: datetime, now: datetime) -> int:
    """Makes e-mails unclear that may have been sent before the database was restored.

    Those are all open ones that were due by then. Staff may send them again.
    """
    # A row that a process has leased is due when the lease ends.
    due = Q(next_at__lte=restored_at + LEASE) | Q(state=QueueState.SENDING)
    rows = Email.objects.filter(due, state__in=TRIED_NEXT, created_at__lte=restored_at)
    return rows.update(
        state=QueueState.UNCLEAR, detail=RESTORED, next_at=None, finished_at=now
    )


def send_again(emails: QuerySet[Email], *, now: datetime) -> int:
    """Queues unclear, failed and given-up e-mails that still have their text.

    Returns their number. A recipient who already has one gets it twice, with the same
    Message-ID.
    """
    return queue.queue_again(repeatable(emails), now=now, queued_at=now)


def repeatable(emails: QuerySet[Email]) -> QuerySet[Email]:
    emptied = Q(recipient="") | Q(subject="")
    return emails.filter(state__in=NEEDS_A_PERSON).exclude(emptied, values__isnull=True)


def empty_emails(*, older_than: timedelta, now: datetime) -> int:
    """Clears recipient and content of e-mails finished longer ago than ``older_than``.

    Returns their number. Keeps when and how each was sent, and its facts.
    """
    old = queue.finished_before(Email.objects.all(), age=older_than, now=now)
    texts = ("recipient", "subject", "text", "html", "link")
    return old.exclude(recipient="").update(values=None, **dict.fromkeys(texts, ""))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_SUBJECT]


def _own_domain() -> str:
    _, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    domain = address.partition("@")[2]
    return domain if domain and domain.isascii() else "localhost"
