"""Notifies those who would miss the money of a changed destination."""

from __future__ import annotations

import logging
from functools import partial

from django.db import router, transaction

from affiliates.payouts import emails
from affiliates.payouts.models import PayoutDestination

logger = logging.getLogger(__name__)


def notify_destination_changed(destination: PayoutDestination) -> None:
    """Have the e-mails sent once this transaction is committed. Never raises then."""
    transaction.on_commit(
        partial(_hand_over, destination.pk),
        using=router.db_for_write(PayoutDestination),
    )


def _hand_over(destination_id: int) -> None:
    """To a worker where the host has django-tasks, else to the mail server at once."""
    try:
        try:
            from affiliates.payouts.tasks import email_destination_changed
        except ImportError:
            emails.send_destination_changed(destination_id)
        else:
            email_destination_changed.enqueue(destination_id)
    except Exception:
        # The change itself is committed, and its row names it for ever.
        logger.exception(
            "An e-mail about a changed payout destination was not sent",
            extra={"destination_id": destination_id},
        )
