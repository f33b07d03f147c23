"""Who would get an announcement, what came of it, and the values of its e-mails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import date
from typing import Any

from django.db.models import Count, Q
from django.urls import reverse

from affiliates.adapter import get_adapter
from affiliates.contrib.announcements.models import Announcement, AnnouncementRecipient
from affiliates.contrib.announcements.rules import LeftOut, parts_of
from affiliates.emails.links import site_url
from affiliates.emails.models import EmailChoice
from affiliates.emails.types import EmailDelivery, EmailKind, in_languages
from affiliates.encrypted.columns import Purpose
from affiliates.outbox.queue.rules import NEEDS_A_PERSON, TRIED_NEXT, QueueState
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus

AT_ONCE = 500
LINK = Purpose(b"affiliates.announcement_link.v1")
STATE = "recipients__email__state"
# What came of the e-mails of an announcement. Together they are all recipients.
RESULTS = {
    "delivered": Q(**{STATE: QueueState.SENT}),
    "failed": Q(**{f"{STATE}__in": NEEDS_A_PERSON}),
    "not_sent": Q(**{STATE: QueueState.NOT_SENT}) | Q(recipients__left_out__gt=""),
    "waiting": Q(**{f"{STATE}__in": TRIED_NEXT})
    | Q(recipients__email=None, recipients__left_out=""),
}
COUNTS = {name: Count("recipients", filter=where) for name, where in RESULTS.items()}


def left_out_of(affiliates: Collection[Affiliate], *, day: date) -> dict[int, LeftOut]:
    """Why affiliates get no announcement on the day, by their keys. Asks the host."""
    ids = [affiliate.pk for affiliate in affiliates]
    refused = EmailChoice.objects.filter(
        affiliate__in=ids, kind=EmailKind.ANNOUNCEMENT, delivery=EmailDelivery.NEVER
    ).values_list("affiliate_id", flat=True)
    today = AnnouncementRecipient.objects.filter(affiliate__in=ids, day=day)
    clients = get_adapter().client_details({str(row.user_id) for row in affiliates})
    known = {client_id for client_id, client in clients.items() if client.email}
    nowhere = [row.pk for row in affiliates if str(row.user_id) not in known]
    inactive = [row.pk for row in affiliates if row.status != AffiliateStatus.ACTIVE]
    # The later reason counts: it lasts longer.
    return {
        **dict.fromkeys(
            today.values_list("affiliate_id", flat=True), LeftOut.ONE_TODAY
        ),
        **dict.fromkeys(nowhere, LeftOut.NO_ADDRESS),
        **dict.fromkeys(refused, LeftOut.SWITCHED_OFF),
        **dict.fromkeys(inactive, LeftOut.NOT_ACTIVE),
    }


def expected_of(announcement: Announcement, *, day: date) -> Counter[LeftOut | None]:
    """How many would be left out for each reason, and under None how many get it."""
    rows = announcement.recipients.select_related("affiliate")
    affiliates = [recipient.affiliate for recipient in rows]
    reasons = left_out_of(affiliates, day=day)
    return Counter(reasons.get(affiliate.pk) for affiliate in affiliates)


def values_of(
    announcement: Announcement, recipient_id: int | None = None
) -> dict[str, Any]:
    """The values of its e-mail. With a recipient its links are ours, if that is possible."""
    site = site_url(announcement.brand) if recipient_id else ""
    addresses = {
        url: f"{site}{path_of(announcement.pk, recipient_id or 0, number)}"
        for number, url in enumerate(announcement.links)
        if site
    }
    subjects, texts = announcement.subject_translations, announcement.text_translations
    parts = {code: parts_of(text, addresses) for code, text in texts.items()}
    return {
        "subject": in_languages(announcement.subject, subjects),
        "parts": in_languages(parts_of(announcement.text, addresses), parts),
    }


def path_of(announcement_id: int, recipient_id: int, number: int) -> str:
    """The path that stands for a link of the announcement in one e-mail."""
    token = LINK.encrypt(b"%d:%d:%d" % (announcement_id, recipient_id, number))
    return reverse("affiliates:announcement_link", args=[token])
