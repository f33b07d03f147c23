"""Days of a time zone as moments, text for sentences, and the cycles of billing."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext


class BillingCycle(TextChoices):
    ONE_TIME = "one_time", gettext_lazy("One time")
    MONTHLY = "monthly", gettext_lazy("Monthly")
    QUARTERLY = "quarterly", gettext_lazy("Quarterly")
    SEMI_ANNUALLY = "semi_annually", gettext_lazy("Every six months")
    ANNUALLY = "annually", gettext_lazy("Yearly")
    BIENNIALLY = "biennially", gettext_lazy("Every two years")
    TRIENNIALLY = "triennially", gettext_lazy("Every three years")

    @property
    def months(self) -> int:
        """From one payment to the next; 0 if there is no next one."""
        return (0, 1, 3, 6, 12, 24, 36)[list(BillingCycle).index(self)]


def start_of(day: date, zone: tzinfo) -> datetime:
    """The first moment of the day in the zone."""
    return datetime.combine(day, time.min, tzinfo=zone)


def span_of(first: date, last: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """From the start of the first day until, excluding, the day after the last."""
    return start_of(first, zone), start_of(last + timedelta(days=1), zone)


def month_start(moment: datetime) -> datetime:
    """The start of the moment's month in UTC."""
    first = moment.astimezone(UTC).date().replace(day=1)
    return start_of(first, UTC)


def months_later(month: datetime, count: int) -> datetime:
    """The start of the month ``count`` months after this start of a month."""
    years, index = divmod(month.month - 1 + count, 12)
    return month.replace(year=month.year + years, month=index + 1)


def month_of(day: date, *, back: int = 0) -> tuple[date, date]:
    """The first and the last day of its month, or of the one ``back`` months before."""
    year, month = divmod(day.year * 12 + day.month - 1 - back, 12)
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, 1), date(year, month + 1, last)


def span(length: timedelta) -> str:
    """``2 days`` or ``5 minutes``: whole units of the largest that fits."""
    days, hours, minutes, seconds = (length // unit for unit in _UNITS)
    if days:
        return ngettext("{count} day", "{count} days", days).format(count=days)
    if hours:
        return ngettext("{count} hour", "{count} hours", hours).format(count=hours)
    if minutes:
        text = ngettext("{count} minute", "{count} minutes", minutes)
        return text.format(count=minutes)
    if seconds:
        text = ngettext("{count} second", "{count} seconds", seconds)
        return text.format(count=seconds)
    return _("less than a second")


def day(moment: datetime, zone: tzinfo = UTC) -> str:
    """``23 Nov 2026``."""
    local = moment.astimezone(zone)
    month = f"{local:%b}".lower()  # which Django's own catalogues have
    return _("{day} {month} {year}").format(
        day=local.day, month=_(month).title(), year=local.year
    )


_UNITS = (
    timedelta(days=1),
    timedelta(hours=1),
    timedelta(minutes=1),
    timedelta(seconds=1),
)


def clock(moment: datetime, zone: tzinfo = UTC) -> str:
    """``23 Nov 2026, 12:00 UTC``."""
    return f"{day(moment, zone)}, {moment.astimezone(zone):%H:%M %Z}"
