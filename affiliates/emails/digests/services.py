"""Collects e-mails into digests, each of which is an e-mail of the outbox itself."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import transaction

from affiliates.emails.digests.rules import next_due
from affiliates.emails.digests.sums import added
from affiliates.emails.kinds import KINDS
from affiliates.emails.models import Email
from affiliates.emails.rules import IN_A_DIGEST
from affiliates.emails.selectors import delivery_of
from affiliates.emails.services import finish_try, queue_emails
from affiliates.emails.types import EmailDelivery, EmailKind
from affiliates.outbox.queue import services as queue
from affiliates.outbox.queue.rules import QueueState, TryResult


def collect(email: Email, *, now: datetime) -> bool:
    """Adds its fact to the affiliate's next digest, in place of sending it.

    False if it is to be sent by itself, or not at all.
    """
    if email.affiliate is None or email.subject or not email.kind:
        return False
    kind = EmailKind(email.kind)
    is_test = email.brand is not None and email.brand.is_test
    if not KINDS[kind].sums or is_test:
        return False
    delivery = delivery_of(email.affiliate.pk, kind)
    if not delivery.is_digest:
        return False
    with transaction.atomic():
        # Another process may have taken it over, and collected it.
        if queue.leased(email).select_for_update(no_key=True).exists():
            digest = _open_digest(email, email.affiliate.zone(), delivery, now=now)
            digest.values = added(digest.values or {}, kind, email.values or {})
            digest.save(update_fields=["values"])
            finish_try(email, TryResult(QueueState.NOT_SENT, IN_A_DIGEST), now=now)
    return True


def _open_digest(
    email: Email, zone: ZoneInfo, delivery: EmailDelivery, *, now: datetime
) -> Email:
    """The affiliate's next digest, locked; one that a sender has leased is closed."""
    due = now
    while True:
        due = next_due(due, delivery, zone)
        key = f"{EmailKind.DIGEST}:{email.affiliate_id}:{due:%Y%m%dT%H%M}"
        made = Email(
            brand_id=email.brand_id,
            key=key,
            kind=EmailKind.DIGEST,
            affiliate_id=email.affiliate_id,
            values={},
        )
        queue_emails([made], now=now, due=due)
        waiting = Email.objects.filter(key=key, state=QueueState.WAITING, next_at=due)
        if digest := waiting.select_for_update(no_key=True).first():
            return digest
