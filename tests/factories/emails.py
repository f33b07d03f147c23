"""E-mails in the outbox."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import factory
from factory.django import DjangoModelFactory

from affiliates.emails.models import Email, EmailChoice
from affiliates.outbox.queue.rules import TRIED_NEXT, QueueState
from tests.guard.markers import marker, number_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class EmailFactory(DjangoModelFactory):
    """Waiting to be sent since ``created_at``. ``brand`` must be given."""

    class Meta:
        model = Email

    key = factory.Sequence(lambda number: f"made:{number}")
    message_id = factory.LazyAttribute(lambda row: f"<{row.key[5:]}@example.com>")
    recipient = "partner@example.com"
    subject = "A subject"
    text = factory.LazyAttribute(lambda row: f"A text. {_marker_of(row)}")
    state = QueueState.WAITING
    created_at = NOW
    queued_at = factory.SelfAttribute("created_at")
    next_at = factory.LazyAttribute(
        lambda row: row.created_at if row.state in TRIED_NEXT else None
    )
    finished_at = factory.LazyAttribute(
        lambda row: None if row.state in TRIED_NEXT else row.created_at
    )


def _marker_of(row: Any) -> str:
    affiliate = getattr(row, "affiliate", None)
    return marker("affiliate", "email", number_of(affiliate and affiliate.user))


class EmailChoiceFactory(DjangoModelFactory):
    """``affiliate``, ``kind`` and ``delivery`` must be given."""

    class Meta:
        model = EmailChoice

    changed_at = NOW
