"""How long clicks are kept."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import TextChoices

from affiliates.core.days import month_start, months_later


class ClickKind(TextChoices):
    """A brand keeps each kind for a time of its own."""

    PEOPLE = "people", "Clicks of people"
    OTHERS = "others", "Clicks of robots, and repeats"


def kept_from(now: datetime, *, months: int, at_least: timedelta) -> datetime | None:
    """Returns the start of the first month whose clicks are kept. None: all are.

    ``months`` whole months before this one are kept, 0 means for ever. ``at_least`` is
    how long a click may still earn something.
    """
    if not months:
        return None
    return min(months_later(month_start(now), -months), month_start(now - at_least))
