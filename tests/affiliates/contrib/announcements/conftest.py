from __future__ import annotations

from collections.abc import Callable

import pytest

from affiliates.contrib.announcements.models import Announcement
from affiliates.contrib.announcements.services import (
    send_announcement,
    send_announcements,
)
from affiliates.emails.sending import send_due
from affiliates.program.models import Affiliate
from tests.factories.affiliates import AffiliateFactory


@pytest.fixture
def affiliates(brand, host) -> Callable[..., list[Affiliate]]:
    """As many affiliates as are asked for, a-0@example.com and so on."""

    def affiliates(count, *, of=brand, **fields):
        return [
            AffiliateFactory(
                brand=of,
                user=host.client(of, email=f"a-{number}@example.com"),
                **fields,
            )
            for number in range(count)
        ]

    return affiliates


@pytest.fixture
def queue(staff, now) -> Callable[..., str]:
    """Sends the announcement, and queues its e-mails."""

    def queue(announcement: Announcement, *, at=now) -> str:
        send_announcement(announcement.pk, actor_id=staff.pk, now=at)
        return send_announcements(lambda: at, lambda: False)

    return queue


@pytest.fixture
def deliver(now) -> Callable[..., object]:
    """Sends the e-mails of the outbox."""
    return lambda at=now: send_due(now=lambda: at)
