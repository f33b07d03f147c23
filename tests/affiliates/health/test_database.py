from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.checks import ERROR
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from affiliates.health import database
from affiliates.health.examine import examine
from tests.append_only import unguarded
from tests.cases import each

pytestmark = pytest.mark.django_db


def test_a_database_that_is_behind_is_named_and_not_asked_further(now):
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("affiliates", "0003_guards")

    (finding,) = examine(now=now)

    assert finding.id == "affiliates.D002"
    assert finding.msg == "The database lacks the migration affiliates.0003_guards."
    assert finding.hint == "Run manage.py migrate."


def test_a_database_that_is_ahead_is_named(now):
    recorder = MigrationRecorder(connection)
    recorder.record_applied("affiliates", "9999_later")
    recorder.record_applied("portal", "9999_later")

    (finding,) = database.is_migrated(now)

    assert finding.id == "affiliates.D003"
    assert "has the migration 9999_later, which this code does not know" in finding.msg


def test_a_missing_trigger_is_named(now):
    with unguarded():
        missing = [one.msg for one in database.guards_its_rows(now)]

    assert (
        "The trigger affiliates_ledgerentry_refuses_update is missing or switched off: "
        "rows can be changed unseen."
    ) in missing
    assert list(database.guards_its_rows(now)) == []


class Elsewhere:
    """A PostgreSQL whose clock is some time away."""

    vendor = "postgresql"

    def __init__(self, away: timedelta) -> None:
        self.away = away

    def cursor(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        return None

    def execute(self, statement):
        assert statement == "SELECT clock_timestamp()"

    def fetchone(self):
        return (datetime.now(tz=UTC) + self.away,)


@each(
    ("away", "said"),
    [
        (timedelta(0), []),
        (timedelta(seconds=4), []),
        (timedelta(seconds=-4), []),
        (timedelta(hours=1, seconds=30), ["3,6"]),
        (timedelta(hours=-1, seconds=-30), ["3,6"]),
        (timedelta(days=2), ["172,"]),
    ],
)
def test_clocks_that_are_apart_are_named(away, said, now, monkeypatch):
    monkeypatch.setattr(database, "connection", Elsewhere(away))

    found = list(database.tells_the_time(now))
    messages = [one.msg for one in found]

    assert len(messages) == len(said)
    assert all(one.level == ERROR for one in found)
    assert all(f"are {part}" in one for one, part in zip(messages, said, strict=True))


def test_the_clock_of_this_database_is_ours(now):
    assert list(database.tells_the_time(now)) == []
