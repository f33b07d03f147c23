"""The job ``clicks``: partitions them by month, and purges those that are old."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.db import connections, router

from affiliates.brands.models.brand import Brand
from affiliates.core.days import months_later
from affiliates.core.ids import first_id_of
from affiliates.db.partitions import building, parts, replacing
from affiliates.privacy.retention.emptying import empty_visitors
from affiliates.privacy.retention.models import PurgedClicks
from affiliates.privacy.retention.registry import registered
from affiliates.privacy.retention.rules import ClickKind
from affiliates.privacy.retention.selectors import (
    kept_sql,
    purgeable_clicks,
    purgeable_from,
)
from affiliates.visits.models import Click
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, JobFailed, ShouldStop

# Deleted in a transaction of some 20 ms: on SQLite visits wait for it.
CLICKS_AT_ONCE = 500
TABLE = Click._meta.db_table
_NEVER = datetime.min.replace(tzinfo=UTC)

Limits = Mapping[ClickKind, datetime | None]


@register(
    "clicks",
    every=timedelta(hours=1),
    does="Partitions clicks by month on PostgreSQL, deletes those that a brand does not "
    "keep any longer, and clears old addresses and user agents of visitors.",
)
def keep_clicks(now: Clock, should_stop: ShouldStop) -> str:
    moment, connection = now(), connections[router.db_for_write(Click)]
    done = []
    try:
        if connection.vendor == "postgresql":
            done += [partition_clicks(now=moment, should_stop=should_stop)]
        done += [purge_clicks(now=moment, should_stop=should_stop)]
        # In this job: while it replaces partitions, no click may change.
        done += [empty_visitors(now=moment, should_stop=should_stop)]
    except building.LockUnavailable as error:
        raise JobFailed(str(error)) from error
    return " ".join(filter(None, done))


def partition_clicks(*, now: datetime, should_stop: ShouldStop = lambda: False) -> str:
    """Partitions a plain table, creates months ahead, and moves rows to their months."""
    connection = connections[router.db_for_write(Click)]
    replacing.drop_unfinished(connection, TABLE)
    if not parts.is_partitioned(connection, TABLE):
        building.adopt(connection, TABLE)
    ahead = parts.months_ahead(now)
    until = months_later(ahead[-1], 1)
    found = building.months_in_default(connection, TABLE, until=until)
    if found:
        other = parts.default_part(TABLE)
        months = [parts.month_part(TABLE, month) for month in found]
        seconds = replacing.replace(
            connection, TABLE, [other], [*months, other], should_stop=should_stop
        )
        if seconds is None:
            return ""
    count = building.create_months(connection, TABLE, ahead) + len(found)
    return f"{count} months of clicks partitioned." if count else ""


def purge_clicks(*, now: datetime, should_stop: ShouldStop = lambda: False) -> str:
    """Deletes the clicks that no brand keeps, and on PostgreSQL whole months of them.

    What counts clicks is called first. May be stopped, or killed, at any moment: what is
    left is done next time.
    """
    limits = {
        brand: {kind: purgeable_from(brand, kind, now=now) for kind in ClickKind}
        for brand in Brand.objects.all()
    }
    done = {(row.brand_id, row.kind): row.before for row in PurgedClicks.objects.all()}
    for brand, its in limits.items():
        if should_stop():
            return ""
        due = [at for kind, at in its.items() if at and _is_due(done, brand, kind, at)]
        for act in registered() if due else ():
            act(brand, before=max(due), now=now)
    dropped = _drop_months(limits, should_stop)
    count = 0
    for brand, its in limits.items():
        for kind, at in its.items():
            if at and _is_due(done, brand, kind, at):
                since = done.get((brand.pk, kind))
                count += _delete(brand, kind, since, at, should_stop)
    said = [f"{dropped} months of clicks dropped."] if dropped else []
    said += [f"{count:,} clicks deleted."] if count else []
    return " ".join(said)


def _is_due(
    done: Mapping[tuple[int, str], datetime],
    brand: Brand,
    kind: ClickKind,
    at: datetime,
) -> bool:
    return done.get((brand.pk, kind), _NEVER) < at


def _drop_months(limits: Mapping[Brand, Limits], should_stop: ShouldStop) -> int:
    """Drops the months that no brand keeps, but for the clicks that stay."""
    connection = connections[router.db_for_write(Click)]
    moments = [at for its in limits.values() for at in its.values()]
    known = [at for at in moments if at]
    if connection.vendor != "postgresql" or not known or len(known) < len(moments):
        return 0
    limit = min(known)
    end = first_id_of(limit)
    old = [
        part
        for part in parts.parts_of(connection, TABLE)
        if part.end and part.end <= end
    ]
    months = [part for part in old if part.first]
    if not months:
        return 0
    last = max(part.end for part in months if part.end)
    kept = parts.kept_part(TABLE, last)
    seconds = replacing.replace(
        connection, TABLE, old, [kept], keeps=kept_sql(limit), should_stop=should_stop
    )
    return 0 if seconds is None else len(months)


def _delete(
    brand: Brand,
    kind: ClickKind,
    since: datetime | None,
    before: datetime,
    should_stop: ShouldStop,
) -> int:
    """In small steps, each of which remembers how far it came."""
    count = 0
    while not should_stop():
        began = time.perf_counter()
        clicks = purgeable_clicks(brand, kind, since=since, before=before)
        rows = list(clicks.values_list("pk", "created_at")[:CLICKS_AT_ONCE])
        if rows:
            count += Click.objects.filter(pk__in=[pk for pk, _ in rows]).delete()[0]
            since = rows[-1][1]
        is_last = len(rows) < CLICKS_AT_ONCE
        done = before if is_last else rows[-1][1]
        PurgedClicks.objects.update_or_create(
            brand=brand, kind=kind, defaults={"before": done}
        )
        if is_last:
            break
        # Visits have as much time as this step had.
        time.sleep(time.perf_counter() - began)
    return count
