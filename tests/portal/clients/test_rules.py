from __future__ import annotations

from datetime import UTC, datetime, timedelta

from portal.clients.rules import SessionLimits, seen_interval, session_end
from tests.cases import each

BEGUN = datetime(2026, 11, 26, 18, 0, tzinfo=UTC)
LIMITS = SessionLimits(idle=timedelta(hours=1), whole=timedelta(hours=12))


@each(
    ("_case", "seen_after", "ends_after"),
    [
        ("never used again", timedelta(0), timedelta(hours=1)),
        ("used", timedelta(minutes=30), timedelta(hours=1, minutes=30)),
        ("used in the last hour", timedelta(hours=11), timedelta(hours=12)),
        ("used to the end", timedelta(hours=11, minutes=59), timedelta(hours=12)),
    ],
)
def test_a_session_ends_unused_and_in_all(seen_after, ends_after):
    end = session_end(begun_at=BEGUN, seen_at=BEGUN + seen_after, limits=LIMITS)

    assert end == BEGUN + ends_after


@each(
    ("idle", "interval"),
    [
        (timedelta(hours=24), timedelta(minutes=5)),
        (timedelta(hours=1), timedelta(minutes=5)),
        (timedelta(minutes=6), timedelta(seconds=30)),
        (timedelta(seconds=12), timedelta(seconds=1)),
    ],
)
def test_a_use_is_written_often_enough_for_the_idle_time(idle, interval):
    assert seen_interval(LIMITS._replace(idle=idle)) == interval
