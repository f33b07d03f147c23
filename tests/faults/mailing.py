"""A worker that sends e-mails to the tests' own mail server, and is killed."""

from __future__ import annotations

import os

from django.utils import timezone

from affiliates.emails import services
from affiliates.emails.models import Email
from affiliates.worker.models import WorkerJob
from tests.database import database_url
from tests.smtp import Mailbox


def mail_environment(mailbox: Mailbox) -> dict[str, str]:
    """The environment of a process that works on the tests' own database."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.faults.settings",
        "DATABASE_URL": database_url(),
        "EMAIL_URL": f"smtp://127.0.0.1:{mailbox.port}",
    }


def end_leases() -> None:
    """As after a minute, and of e-mails that were not handed over after ten."""
    now = timezone.now()
    WorkerJob.objects.update(lease_until=None, next_due_at=now)
    Email.objects.filter(state__in=services.TO_SEND).update(next_at=now)
