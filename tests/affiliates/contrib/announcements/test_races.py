"""Two of staff and two jobs at once."""

from __future__ import annotations

from contextlib import suppress

import pytest
from django.db import IntegrityError, OperationalError

from affiliates.contrib.announcements.models import AnnouncementRecipient
from affiliates.contrib.announcements.services import (
    send_announcement,
    send_announcements,
)
from affiliates.emails.models import Email
from affiliates.errors import StateConflict
from tests.factories.announcements import AnnouncementFactory
from tests.races import at_once, needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]


def test_announcement_is_sent_by_one_of_several(brand, affiliate, staff, now):
    announcement = AnnouncementFactory(brand=brand, to=[affiliate])

    def send(_number: int) -> bool:
        try:
            send_announcement(announcement.pk, actor_id=staff.pk, now=now)
        except StateConflict:
            return False
        return True

    assert sorted(at_once(4, send)) == [False, False, False, True]


def test_jobs_at_once_send_each_affiliate_one_of_two_announcements(
    brand, affiliates, staff, now
):
    rows = affiliates(20)
    for _ in range(2):
        announcement = AnnouncementFactory(brand=brand, to=rows)
        send_announcement(announcement.pk, actor_id=staff.pk, now=now)

    def work(_number: int) -> None:
        # As when a lease was lost: the constraint refuses, and the job is run again.
        with suppress(IntegrityError, OperationalError):
            send_announcements(lambda: now, lambda: False)

    at_once(4, work)
    send_announcements(lambda: now, lambda: False)

    left_out = AnnouncementRecipient.objects.filter(left_out="one_today").count()
    assert (Email.objects.count(), left_out) == (20, 20)
    assert AnnouncementRecipient.objects.filter(day=None, left_out="").count() == 0
