"""Maintains the figures of closed days: marks changed days and recounts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Min

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.contrib.statistics import feed
from affiliates.contrib.statistics.counting.days import count_days
from affiliates.contrib.statistics.counting.rows import DaysOfRows
from affiliates.contrib.statistics.counting.tally import Cell
from affiliates.contrib.statistics.models import (
    CountedDay,
    DailyFigures,
    StatisticsChange,
    StatisticsState,
)
from affiliates.contrib.statistics.open_days import brands_counted
from affiliates.contrib.statistics.types import Figures, Span
from affiliates.core.days import start_of
from affiliates.privacy.retention.registry import before_purge
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import RefundCancellation, Sale
from affiliates.visits.consent.withdrawal import on_withdrawal
from affiliates.visits.models import Click
from affiliates.visits.robots.rejudging import on_rejudgement
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

CHANGES_AT_ONCE = 10_000
AT_ONCE = 1_000
_FACTS = (
    (Click, "created_at"),
    (ClientReferral, "bound_at"),
    (OrderReferral, "converted_at"),
    (Sale, "paid_at"),
    (Commission, "earned_at"),
    (RefundCancellation, "cancelled_at"),
)


@register(
    "statistics",
    every=timedelta(minutes=1),
    does="Counts the days that are over, and those that have changed.",
)
def count_statistics(now: Clock, should_stop: ShouldStop) -> str:
    counted = count_changes(now=now, should_stop=should_stop)
    return f"{counted:,} days counted." if counted else ""


def count_changes(
    *, now: Callable[[], datetime], should_stop: ShouldStop = lambda: False
) -> int:
    """Recounts all brands' changed closed days. Returns how many were counted.

    May be ended, or killed, at any moment and by anybody: what is left is done next
    time.
    """
    counted = 0
    for brand in brands_counted():
        mark_changes(brand, now=now())
        while not should_stop() and count_next(brand, now=now()):
            counted += 1
    _forget_others()
    return counted


@transaction.atomic
def mark_changes(brand: Brand, *, now: datetime) -> None:
    """Mark the closed days whose rows have changed. Days still open need no mark."""
    state, is_new = _lock(brand, now=now)
    seen = feed.snapshot()
    # The database was restored elsewhere, where transactions count anew.
    is_restored = (
        feed.Snapshot.from_text(seen).end
        < feed.Snapshot.from_text(state.clicks_seen).end
    )
    if is_new or is_restored or state.time_zone != brand.zone().key:
        _mark_all(state, brand.zone())
    else:
        before = start_of(state.open_from, brand.zone())
        late = feed.late_clicks(state, before)
        _mark(state, _days(late, brand.zone()), of_clicks=True)
    state.change(clicks_seen=seen, time_zone=brand.zone().key)
    while _mark_noted(state, brand.zone()):
        pass


def mark_all(brand: Brand, *, now: datetime) -> int:
    """Marks every closed day for a recount. Returns how many there are."""
    with transaction.atomic():
        state, _ = _lock(brand, now=now)
        _mark_all(state, brand.zone())
    return CountedDay.objects.filter(brand=brand, is_due=True).count()


@transaction.atomic
def count_next(brand: Brand, *, now: datetime) -> bool:
    """Count a day that is over, or one that has changed, the latest first, if any is."""
    state, _ = _lock(brand, now=now)
    if state.time_zone != brand.zone().key:
        # Changed since its days were marked, which are others now.
        return False
    if state.open_from < now.astimezone(brand.zone()).date():
        day, _ = CountedDay.objects.get_or_create(brand=brand, day=state.open_from)
        day.clicks_due = True
        state.change(open_from=state.open_from + timedelta(days=1))
    else:
        due = CountedDay.objects.filter(brand=brand, is_due=True).order_by("-day")
        found = due.first()
        if found is None:
            return False
        day = found
    _write(day, cells_of(day, brand.zone()))
    day.change(is_due=False, clicks_due=False)
    return True


@before_purge
def freeze_days(brand: Brand, *, before: datetime, now: datetime) -> None:
    """Freezes the click counts of the days that begin before this moment.

    Their clicks are purged next. Days that are due are counted first.
    """
    if not brands_counted().filter(pk=brand.pk).exists():
        return
    mark_changes(brand, now=now)
    while count_next(brand, now=now):
        pass
    # Again, so that nothing changes between the last count and the freezing.
    with transaction.atomic():
        mark_changes(brand, now=now)
        while count_next(brand, now=now):
            pass
        last = (before - timedelta(microseconds=1)).astimezone(brand.zone()).date()
        days = CountedDay.objects.filter(brand=brand, day__lte=last)
        days.filter(is_frozen=False).update(is_frozen=True)


@on_withdrawal
def note_withdrawal(clicks: Sequence[Click], *, brand_id: int) -> None:
    """The days of a visitor who is no longer one are counted anew."""
    note_rejudgement([click.created_at for click in clicks], brand_id=brand_id)


@on_rejudgement
def note_rejudgement(moments: Sequence[datetime], *, brand_id: int) -> None:
    """The days of clicks that robots made, or people after all, are counted anew."""
    StatisticsChange.objects.bulk_create(
        StatisticsChange(brand_id=brand_id, at=at, of_clicks=True) for at in moments
    )


def cells_of(day: CountedDay, zone: ZoneInfo) -> Mapping[Cell, Figures]:
    """Counts the day's figures from its rows; clicks frozen or not due are kept."""
    with_clicks = day.clicks_due and not day.is_frozen
    rows = DaysOfRows(brand_id=day.brand_id, days=Span(day.day, day.day), zone=zone)
    tally = count_days([rows], with_clicks=with_clicks)[day.brand_id][day.day]
    if not with_clicks:
        kept = ((cell, figures) for cell, (_, figures) in stored_cells(day).items())
        tally.keep_clicks(dict(kept))
    return tally.cells()


def stored_cells(day: CountedDay) -> dict[Cell, tuple[int, Figures]]:
    """The rows of the day, each with its id."""
    rows = DailyFigures.objects.filter(brand_id=day.brand_id, day=day.day)
    return {
        Cell(*row[1:_FIRST_FIGURE]): (row[0], Figures(*row[_FIRST_FIGURE:]))
        for row in rows.values_list("pk", *Cell._fields, *Figures._fields)
    }


_FIRST_FIGURE = 1 + len(Cell._fields)


def _lock(brand: Brand, *, now: datetime) -> tuple[StatisticsState, bool]:
    """The brand's state, which nobody else changes until the end of the transaction.

    Locked by an update, which on SQLite is what begins to write.
    """
    ours = StatisticsState.objects.filter(pk=brand.pk)
    is_new = not ours.update(counted_at=now)
    if is_new:
        StatisticsState.objects.bulk_create(
            [
                StatisticsState(
                    brand=brand,
                    time_zone="",
                    open_from=now.astimezone(brand.zone()).date(),
                    counted_at=now,
                )
            ],
            ignore_conflicts=True,
        )
        ours.update(counted_at=now)
    # As it is now: the caller may have read it long ago.
    brand.refresh_from_db(fields=["time_zone"])
    return ours.get(), is_new


def _mark_noted(state: StatisticsState, zone: ZoneInfo) -> bool:
    """Whether there may be more changes than were taken this time."""
    noted = list(
        StatisticsChange.objects.filter(brand_id=state.brand_id)
        .order_by("pk")
        .values_list("pk", "at", "of_clicks")[:CHANGES_AT_ONCE]
    )
    for of_clicks in (False, True):
        moments = (at for _, at, is_click in noted if is_click == of_clicks)
        _mark(state, _days(moments, zone), of_clicks=of_clicks)
    for start in range(0, len(noted), AT_ONCE):
        taken = [pk for pk, *_ in noted[start : start + AT_ONCE]]
        StatisticsChange.objects.filter(pk__in=taken).delete()
    return len(noted) == CHANGES_AT_ONCE


def _mark_all(state: StatisticsState, zone: ZoneInfo) -> None:
    """Every closed day on which something happened, and every day counted before."""
    firsts = [
        model.objects.filter(brand_id=state.brand_id).aggregate(first=Min(moment))
        for model, moment in _FACTS
    ]
    known = [first["first"] for first in firsts if first["first"] is not None]
    CountedDay.objects.filter(brand_id=state.brand_id).update(
        is_due=True, clicks_due=True
    )
    if known:
        first = min(known).astimezone(zone).date()
        days = (state.open_from - first).days
        _mark(
            state,
            {first + timedelta(days=number) for number in range(days)},
            of_clicks=True,
        )


def _mark(state: StatisticsState, days: Iterable[date], *, of_clicks: bool) -> None:
    CountedDay.objects.bulk_create(
        [
            CountedDay(
                brand_id=state.brand_id, day=day, is_due=True, clicks_due=of_clicks
            )
            for day in days
            if day < state.open_from
        ],
        batch_size=AT_ONCE,
        update_conflicts=True,
        unique_fields=["brand", "day"],
        update_fields=["is_due", *(["clicks_due"] if of_clicks else [])],
    )


def _days(moments: Iterable[datetime], zone: ZoneInfo) -> set[date]:
    return {moment.astimezone(zone).date() for moment in moments}


def _write(day: CountedDay, cells: Mapping[Cell, Figures]) -> None:
    """Writes only differences: most of a day stays unchanged."""
    stored = stored_cells(day)
    gone = [pk for cell, (pk, figures) in stored.items() if cells.get(cell) != figures]
    same = {cell for cell, (_, figures) in stored.items() if cells.get(cell) == figures}
    for start in range(0, len(gone), AT_ONCE):
        DailyFigures.objects.filter(pk__in=gone[start : start + AT_ONCE]).delete()
    DailyFigures.objects.bulk_create(
        (
            DailyFigures(
                brand_id=day.brand_id,
                day=day.day,
                **cell._asdict(),
                **figures._asdict(),
            )
            for cell, figures in cells.items()
            if cell not in same
        ),
        batch_size=AT_ONCE,
    )


def _forget_others() -> None:
    """Deletes statistics of uncounted brands: a brand may have become a test brand."""
    others = StatisticsState.objects.exclude(brand__in=brands_counted().values("pk"))
    for brand_id in others.values_list("pk", flat=True):
        for model in (DailyFigures, CountedDay, StatisticsState):
            model.objects.filter(brand_id=brand_id).delete()
    StatisticsChange.objects.exclude(
        brand_id__in=brands_counted().values("pk")
    ).delete()
