"""How long clicks are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db.models import TextChoices

from affiliates.core.days import month_start, months_later, start_of

# The job runs every hour.
EMPTIED_EARLY = timedelta(hours=2)


class ClickKind(TextChoices):
    """A brand keeps each kind for a time of its own."""

    PEOPLE = "people", "Clicks of people"
    OTHERS = "others", "Clicks of robots, and repeats"


class EmptiedKind(TextChoices):
    """A kind of data that is emptied while its row stays."""

    ADDRESSES = "addresses", "Networks and addresses"
    AGENTS = "agents", "User agents"


def kept_from(now: datetime, *, months: int, at_least: timedelta) -> datetime | None:
    """Returns the start of the first month whose clicks are kept. None: all are.

    ``months`` whole months before this one are kept, 0 means for ever. ``at_least`` is
    how long a click may still earn something.
    """
    if not months:
        return None
    return min(months_later(month_start(now), -months), month_start(now - at_least))


def emptied_before(now: datetime, *, kept: timedelta) -> datetime:
    """The midnight of UTC before which rows are emptied. It moves once a day.

    No row of the day after it becomes as old as ``kept`` before it moves again.
    """
    day = (now - kept + EMPTIED_EARLY).astimezone(UTC).date() + timedelta(days=1)
    return start_of(day, UTC)
