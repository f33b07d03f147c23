"""The job of announcements dies between any two steps: none gets two e-mails."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any
from unittest import mock

import pytest

from affiliates.contrib.announcements import services
from affiliates.contrib.announcements.services import (
    send_announcement,
    send_announcements,
)
from affiliates.emails.models import Email
from tests.factories.announcements import AnnouncementFactory
from tests.lengths import times

pytestmark = pytest.mark.django_db

STEPS = ("left_out_of", "values_of", "notify_affiliates")
COUNT = 40


class Killed(BaseException):
    """As by kill -9: an open transaction is rolled back."""


def dying(random: Random, step: Any) -> Any:
    def act(*args: Any, **values: Any) -> Any:
        if random.random() < 0.1:
            raise Killed
        done = step(*args, **values)
        if random.random() < 0.1:
            raise Killed
        return done

    return act


@pytest.mark.parametrize("seed", times(range(3), long=range(100)))
def test_job_that_dies_anywhere_queues_each_email_once(
    seed, brand, affiliates, staff, now, deliver, mailoutbox, monkeypatch
):
    random = Random(seed)  # noqa: S311 - it is no secret
    monkeypatch.setattr(services, "AT_ONCE", 7)
    announcement = AnnouncementFactory(brand=brand, to=affiliates(COUNT))
    send_announcement(announcement.pk, actor_id=staff.pk, now=now)
    steps = {name: dying(random, getattr(services, name)) for name in STEPS}

    deaths = 0
    while announcement.state != "sent":
        with mock.patch.multiple(services, **steps):
            try:
                send_announcements(lambda: now, lambda: False)
            except Killed:
                deaths += 1
        # The outbox is at work meanwhile.
        deliver()
        announcement.refresh_from_db()

    assert deaths > 0
    assert Email.objects.count() == COUNT
    assert Counter(message.to[0] for message in mailoutbox) == {
        f"a-{number}@example.com": 1 for number in range(COUNT)
    }
