"""Leases one e-mail, as a sender does with several."""

from __future__ import annotations

from datetime import datetime

from affiliates.emails import services
from affiliates.emails.models import Email


def take_next(*, now: datetime) -> Email | None:
    return next(iter(services.take_due(now=now, limit=1)), None)
