"""Who would get an announcement, what came of it, and the values of its e-mails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from itertools import islice
from typing import Any

from django.conf import settings
from django.db.models import Count, Q

from affiliates.adapter import get_adapter
from affiliates.contracts import ClientDetails
from affiliates.contrib.announcements.models import Announcement, AnnouncementRecipient
from affiliates.contrib.announcements.rules import LeftOut, parts_of, why_left_out
from affiliates.emails.models import EmailChoice
from affiliates.emails.types import EmailDelivery, EmailKind, in_languages
from affiliates.outbox.queue.rules import NEEDS_A_PERSON, TRIED_NEXT, QueueState
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus

AT_ONCE = 500
# What came of an announcement. The others add up to the first.
COUNTS = {
    "chosen": Q(),
    "delivered": Q(email__state=QueueState.SENT),
    "failed": Q(email__state__in=NEEDS_A_PERSON),
    "not_sent": Q(email__state=QueueState.NOT_SENT) | ~Q(left_out=""),
    "waiting": Q(email__isnull=True, left_out="") | Q(email__state__in=TRIED_NEXT),
}


def counts_of(announcements: Iterable[Announcement]) -> dict[int, dict[str, int]]:
    """The ``COUNTS`` of each announcement by its key."""
    ids = [announcement.pk for announcement in announcements]
    rows = AnnouncementRecipient.objects.filter(announcement__in=ids).order_by()
    sums = {name: Count("pk", filter=where) for name, where in COUNTS.items()}
    counted: Any = rows.values_list("announcement_id").annotate(**sums)
    found = {pk: counts for pk, *counts in counted}
    nothing = [0] * len(COUNTS)
    return {pk: dict(zip(COUNTS, found.get(pk, nothing), strict=True)) for pk in ids}


def left_out_of(affiliates: Collection[Affiliate], *, day: date) -> dict[int, LeftOut]:
    """Why affiliates get no announcement on the day, by their keys. Asks the host."""
    ids = [affiliate.pk for affiliate in affiliates]
    refused = EmailChoice.objects.filter(
        affiliate__in=ids, kind=EmailKind.ANNOUNCEMENT, delivery=EmailDelivery.NEVER
    )
    refusing = set(refused.values_list("affiliate_id", flat=True))
    today = AnnouncementRecipient.objects.filter(affiliate__in=ids, day=day)
    announced = set(today.values_list("affiliate_id", flat=True))
    clients = get_adapter().client_details({str(row.user_id) for row in affiliates})
    reasons = {
        affiliate.pk: why_left_out(
            is_active=affiliate.status == AffiliateStatus.ACTIVE,
            is_refused=affiliate.pk in refusing,
            has_address=bool(
                clients.get(str(affiliate.user_id), ClientDetails()).email
            ),
            has_one_today=affiliate.pk in announced,
        )
        for affiliate in affiliates
    }
    return {pk: reason for pk, reason in reasons.items() if reason}


def expected_of(announcement: Announcement, *, day: date) -> Counter[LeftOut | None]:
    """How many would be left out for each reason, and under None how many get it."""
    counts: Counter[LeftOut | None] = Counter()
    rows = announcement.recipients.select_related("affiliate").iterator(AT_ONCE)
    while part := [row.affiliate for row in islice(rows, AT_ONCE)]:
        reasons = left_out_of(part, day=day)
        counts.update(reasons.get(affiliate.pk) for affiliate in part)
    return counts


def values_of(
    announcement: Announcement, addresses: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The values of its e-mail, whose links lead to ``addresses`` by their URLs."""
    parts = {
        language: parts_of(text, addresses or {})
        for language, text in announcement.text_translations.items()
    }
    return {
        "subject": in_languages(
            announcement.subject, announcement.subject_translations
        ),
        "parts": in_languages(parts_of(announcement.text, addresses or {}), parts),
    }


def languages() -> list[tuple[str, str]]:
    """The languages that an announcement may be written in."""
    return [(code, str(name)) for code, name in settings.LANGUAGES]
