"""Days of a time zone as moments, to compare moments with."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, tzinfo


def start_of(day: date, zone: tzinfo) -> datetime:
    """Its first moment there."""
    return datetime.combine(day, time.min, tzinfo=zone)


def span_of(first: date, last: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """From the first moment of the first day up to, not with, the day after the last."""
    return start_of(first, zone), start_of(last + timedelta(days=1), zone)
