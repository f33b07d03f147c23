"""Dates and spans of time as sentences have them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

_UNITS = (
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
    ("second", timedelta(seconds=1)),
)


def span(length: timedelta) -> str:
    """``2 days`` or ``5 minutes``: whole units of the largest that fits."""
    for name, unit in _UNITS:
        count = length // unit
        if count:
            return f"{count} {name}" if count == 1 else f"{count} {name}s"
    return "less than a second"


def day(moment: datetime, zone: tzinfo = UTC) -> str:
    """``3 May 2026``."""
    local = moment.astimezone(zone)
    return f"{local.day} {local:%B} {local.year}"


def clock(moment: datetime, zone: tzinfo = UTC) -> str:
    """``3 May 2026, 12:00 UTC``."""
    return f"{day(moment, zone)}, {moment.astimezone(zone):%H:%M %Z}"
