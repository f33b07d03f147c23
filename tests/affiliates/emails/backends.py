"""Mail servers that fail in one way, for Django's EMAIL_BACKEND."""

from __future__ import annotations

import smtplib
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend


class InterruptedBackend(EmailBackend):
    """Takes every e-mail, and then the connection is lost: each may be sent again."""

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        super().send_messages(messages)
        raise smtplib.SMTPServerDisconnected
