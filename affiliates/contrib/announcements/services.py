"""The only writer of announcements: drafted, sent once, queued by a job."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import CharField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat

from affiliates.conf import conf
from affiliates.contrib.announcements.models import Announcement, AnnouncementRecipient
from affiliates.contrib.announcements.rules import AnnouncementState, urls_in
from affiliates.contrib.announcements.selectors import AT_ONCE, left_out_of, values_of
from affiliates.db.records import lock
from affiliates.emails.models import Email
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News
from affiliates.errors import StateConflict
from affiliates.program.models import Affiliate
from affiliates.worker import purges
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

ONE_BRAND = "Choose affiliates of one brand: filter the list by it."
# The e-mail of a recipient, by the key that ``notify_affiliates`` gives it.
QUEUED = Email.objects.filter(
    key=Concat(Value(f"{EmailKind.ANNOUNCEMENT}:"), Cast(OuterRef("pk"), CharField()))
)


@transaction.atomic
def draft_announcement(
    affiliates: QuerySet[Affiliate], *, audience: str, query: str
) -> Announcement:
    """Drafts one without a text. Raises StateConflict unless all are of one brand."""
    chosen = dict(affiliates.order_by("pk").values_list("pk", "brand_id"))
    if len(brands := set(chosen.values())) != 1:
        raise StateConflict("several_brands", ONE_BRAND)
    announcement = Announcement.objects.create(
        brand_id=brands.pop(), audience=audience, query=query
    )
    AnnouncementRecipient.objects.bulk_create(
        AnnouncementRecipient(announcement=announcement, affiliate_id=pk)
        for pk in chosen
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
    announcement.change(
        state=AnnouncementState.SENDING,
        links=urls_in([announcement.text, *announcement.text_translations.values()]),
        sent_at=now,
        sent_by_id=actor_id,
    )


@register(
    "announcements",
    every=timedelta(seconds=15),
    does="Queues the e-mails of announcements to affiliates.",
)
def send_announcements(now: Clock, should_stop: ShouldStop) -> str:
    """Queues part after part: a process that dies loses only its last part."""
    count = 0
    sending = Announcement.objects.filter(state=AnnouncementState.SENDING)
    for announcement in sending.select_related("brand").order_by("pk"):
        while announcement.state == AnnouncementState.SENDING and not should_stop():
            count += _queue_part(announcement, now=now())
    return f"{count:,} e-mails of announcements queued." if count else ""


def _queue_part(announcement: Announcement, *, now: datetime) -> int:
    """Another process at the same part breaks a constraint, and its part is undone."""
    undecided = announcement.recipients.filter(day=None, left_out="")
    # In one order for all announcements, so that none waits for another's lock.
    ordered = undecided.select_related("affiliate").order_by("affiliate_id")
    part = list(ordered[:AT_ONCE])
    if not part:
        announcement.change(state=AnnouncementState.SENT)
        return 0
    day = now.astimezone(announcement.brand.zone()).date()
    reasons = left_out_of([recipient.affiliate for recipient in part], day=day)
    for recipient in part:
        recipient.left_out = reasons.get(recipient.affiliate_id, "")
    news = [
        News(
            kind=EmailKind.ANNOUNCEMENT,
            brand_id=announcement.brand_id,
            affiliate_id=recipient.affiliate_id,
            fact=str(recipient.pk),
            values=values_of(announcement, recipient.pk),
        )
        for recipient in part
        if not recipient.left_out
    ]
    with transaction.atomic():
        AnnouncementRecipient.objects.bulk_update(part, ["left_out"])
        notify_affiliates(news, now=now)
        queued = undecided.filter(pk__in=[recipient.pk for recipient in part])
        queued.update(day=day, email=Subquery(QUEUED.values("pk")))
    return len(news)


@transaction.atomic
def record_opening(recipient_id: int, number: int, *, now: datetime) -> None:
    """Records the first opening, unless the e-mail is older than openings are kept."""
    recent = AnnouncementRecipient.objects.exclude(_is_old(now))
    recipient = (
        recent.select_for_update(of=("self",), no_key=True)
        .filter(pk=recipient_id)
        .first()
    )
    if recipient is not None and str(number) not in recipient.opened:
        recipient.change(opened={**recipient.opened, str(number): now.isoformat()})


@purges.register("recipients' opened links cleared")
def purge_openings(*, now: datetime) -> int:
    old = AnnouncementRecipient.objects.filter(_is_old(now))
    return old.exclude(opened={}).update(opened={})


def _is_old(now: datetime) -> Q:
    return Q(announcement__sent_at__lte=now - timedelta(days=conf.keep_emails_days))
