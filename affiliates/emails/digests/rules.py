"""Decides when a digest is sent."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from affiliates.emails.types import EmailDelivery

# Local time of the affiliate; weekly digests are sent on Mondays.
HOUR = time(7)
MONDAY = 0


def next_due(now: datetime, delivery: EmailDelivery, zone: ZoneInfo) -> datetime:
    """The moment after ``now`` at which the next digest is sent."""
    date = now.astimezone(zone).date()
    while True:
        due = datetime.combine(date, HOUR, zone).astimezone(UTC)
        is_day = delivery is EmailDelivery.DAILY or date.weekday() == MONDAY
        if is_day and due > now:
            return due
        date += timedelta(days=1)
