"""The only writer of announcements: drafted, sent once, handed over by a job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import CharField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat

from affiliates.admin_tools.lists.models import MAX_QUERY
from affiliates.conf import conf
from affiliates.contrib.announcements.links import LinkInEmail, addresses_for
from affiliates.contrib.announcements.models import (
    Announcement,
    AnnouncementOpening,
    AnnouncementRecipient,
)
from affiliates.contrib.announcements.rules import AnnouncementState, urls_in
from affiliates.contrib.announcements.selectors import AT_ONCE, left_out_of, values_of
from affiliates.db.records import insert_once, lock
from affiliates.emails.models import Email
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News
from affiliates.errors import StateConflict
from affiliates.program.models import Affiliate
from affiliates.worker import purges
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

# A draft that nobody sends is deleted.
DRAFTS_KEPT = timedelta(days=90)


@transaction.atomic
def draft_announcement(
    affiliates: QuerySet[Affiliate],
    *,
    audience: str,
    query: str,
    actor_id: Any,
    now: datetime,
) -> Announcement:
    """Drafts an announcement without a text to these affiliates.

    ``audience`` describes them, ``query`` has the filters of their list. Raises
    StateConflict unless all are of one brand.
    """
    chosen = list(affiliates.order_by("pk").values_list("pk", "brand_id"))
    brands = {brand_id for _, brand_id in chosen}
    if len(brands) != 1:
        raise StateConflict(
            "several_brands", "Choose affiliates of one brand: filter the list by it."
        )
    announcement = Announcement.objects.create(
        brand_id=brands.pop(),
        audience=audience,
        query=query[:MAX_QUERY],
        created_at=now,
        created_by_id=actor_id,
    )
    AnnouncementRecipient.objects.bulk_create(
        [
            AnnouncementRecipient(announcement=announcement, affiliate_id=affiliate_id)
            for affiliate_id, _ in chosen
        ],
        batch_size=AT_ONCE,
    )
    return announcement


@transaction.atomic
def send_announcement(announcement_id: int, *, actor_id: Any, now: datetime) -> None:
    """Lets the job send it. Raises StateConflict if it was sent or has no text."""
    announcement = lock(Announcement, announcement_id)
    if not announcement.is_draft:
        raise StateConflict("sent_already", "This announcement is sent already.")
    if not (announcement.subject and announcement.text):
        raise StateConflict("no_text", "Write the subject and the text first.")
    texts = (announcement.text, *announcement.text_translations.values())
    announcement.change(
        state=AnnouncementState.SENDING,
        links=urls_in(texts),
        sent_at=now,
        sent_by_id=actor_id,
    )


@register(
    "announcements",
    every=timedelta(seconds=15),
    does="Queues the e-mails of announcements to affiliates.",
)
def send_announcements(now: Clock, should_stop: ShouldStop) -> str:
    """Hands over part after part: a process that dies loses only its last part."""
    count = 0
    sending = Announcement.objects.filter(state=AnnouncementState.SENDING)
    for announcement in sending.select_related("brand").order_by("pk"):
        while not should_stop() and (part := _next_part(announcement)):
            count += _hand_over(announcement, part, now=now())
        if not should_stop():
            announcement.change(state=AnnouncementState.SENT)
    return f"{count:,} e-mails of announcements queued." if count else ""


def _next_part(announcement: Announcement) -> list[AnnouncementRecipient]:
    waiting = announcement.recipients.filter(day=None, left_out="")
    # In one order for all announcements, so that none waits for another's lock.
    ordered = waiting.select_related("affiliate").order_by("affiliate_id")
    return list(ordered[:AT_ONCE])


def _hand_over(
    announcement: Announcement, part: Sequence[AnnouncementRecipient], *, now: datetime
) -> int:
    """Queues the part's e-mails, or none if another process has begun one of today."""
    day = now.astimezone(announcement.brand.zone()).date()
    reasons = left_out_of([recipient.affiliate for recipient in part], day=day)
    with transaction.atomic():
        lock(Announcement, announcement.pk)
        ids = [recipient.pk for recipient in part]
        undecided = AnnouncementRecipient.objects.filter(
            pk__in=ids, day=None, left_out=""
        )
        for reason in sorted(set(reasons.values())):
            left = [pk for pk, why in reasons.items() if why == reason]
            undecided.filter(affiliate__in=left).update(left_out=reason)
        recipients = list(undecided.select_related("announcement__brand"))
        notify_affiliates([_news(recipient) for recipient in recipients], now=now)
        undecided.update(day=day, email=_queued_email())
    return len(recipients)


def _news(recipient: AnnouncementRecipient) -> News:
    return News(
        kind=EmailKind.ANNOUNCEMENT,
        brand_id=recipient.announcement.brand_id,
        affiliate_id=recipient.affiliate_id,
        fact=str(recipient.pk),
        values=values_of(recipient.announcement, addresses_for(recipient)),
    )


def _queued_email() -> Subquery:
    """The e-mail of a recipient, by the key that ``notify_affiliates`` gave it."""
    number = Cast(OuterRef("pk"), CharField())
    key = Concat(Value(f"{EmailKind.ANNOUNCEMENT}:"), number)
    return Subquery(Email.objects.filter(key=key).values("pk"))


def record_opening(link: LinkInEmail, *, now: datetime) -> None:
    """Records the first opening, unless the e-mail is older than openings are kept."""
    recipients = AnnouncementRecipient.objects.filter(
        pk=link.recipient_id, announcement__sent_at__gt=_kept_since(now)
    )
    if recipients.exists():
        insert_once(
            AnnouncementOpening(
                recipient_id=link.recipient_id, number=link.number, opened_at=now
            )
        )


@purges.register("old drafts and opened links of announcements deleted")
def purge_announcements(*, now: datetime) -> int:
    old = Announcement.objects.filter(sent_at__lte=_kept_since(now))
    openings = AnnouncementOpening.objects.filter(recipient__announcement__in=old)
    drafts = Announcement.objects.filter(
        state=AnnouncementState.DRAFT, created_at__lt=now - DRAFTS_KEPT
    )
    count = drafts.count()
    drafts.delete()
    return count + openings.delete()[0]


def _kept_since(now: datetime) -> datetime:
    return now - timedelta(days=conf.keep_emails_days)
