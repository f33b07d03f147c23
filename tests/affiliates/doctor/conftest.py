from __future__ import annotations

import pytest
from django.core.mail.backends.base import BaseEmailBackend


class MailServer(BaseEmailBackend):
    """Takes whatever it is given, somewhere else."""


@pytest.fixture(autouse=True)
def mail_server(settings) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.MailServer"
    settings.DEFAULT_FROM_EMAIL = "shop@example.com"


@pytest.fixture
def well(brand, plan) -> None:
    """All that has to be entered before somebody earns."""
