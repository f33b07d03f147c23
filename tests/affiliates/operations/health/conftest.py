from __future__ import annotations

import pytest
from django.core.mail.backends.base import BaseEmailBackend

from affiliates.worker.models import WorkerJob
from affiliates.worker.registry import job_names
from tests.factories.payouts import PayoutTermsFactory


class MailServer(BaseEmailBackend):
    """Takes whatever it is given, somewhere else."""


@pytest.fixture(autouse=True)
def mail_server(settings) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.MailServer"
    settings.DEFAULT_FROM_EMAIL = "shop@example.com"


@pytest.fixture
def working(now) -> None:
    """A worker is at every job."""
    for name in job_names():
        WorkerJob.objects.create(
            name=name, next_due_at=now, last_started_at=now, last_succeeded_at=now
        )


@pytest.fixture
def well(brand, plan, working, settings) -> None:
    """All that has to be entered before somebody earns, and to run."""
    settings.ALLOWED_HOSTS = ["shop.example.com"]
    PayoutTermsFactory(brand=brand, needs_second_person=True)
