from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.checks import messages
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from affiliates.operations.health import database
from affiliates.operations.health.examine import examine
from tests.append_only import unguarded
from tests.cases import each
from tests.database import nothing_written

pytestmark = pytest.mark.django_db


def test_a_database_that_is_behind_is_named_and_not_asked_further(now):
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("affiliates", "0003_guards")

    (finding,) = examine(now=now)

    assert finding.id == "affiliates.D002"
    assert finding.msg == "The database lacks the migration affiliates.0003_guards."
    assert finding.hint == "Run manage.py migrate."


@pytest.fixture
def made_before_release():
    """As `migrate` left the tables when 0001 was another migration."""
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("affiliates", "0001_base_1_0")
    recorder.record_applied("affiliates", "0001_initial")


MADE_BEFORE = (
    "affiliates.E023",
    "The tables of affiliates were made before 1.0, and no release migrates them.",
    "Make the database anew, and import what must be kept: docs/upgrading.md.",
)


def test_tables_from_before_the_first_release_are_named_alone(made_before_release, now):
    findings = examine(now=now)

    assert [(one.id, one.msg, one.hint) for one in findings] == [MADE_BEFORE]


@each(
    ("command", "options"),
    [
        ("migrate", {"skip_checks": False, "verbosity": 0}),
        ("check", {"databases": ["default"]}),
    ],
)
def test_tables_from_before_the_first_release_are_refused(
    made_before_release, command, options
):
    with nothing_written(), pytest.raises(SystemCheckError) as refused:
        call_command(command, **options)

    code, problem, remedy = MADE_BEFORE
    assert f"({code}) {problem}\n\tHINT: {remedy}" in str(refused.value)
    assert "no such column" not in str(refused.value)


def test_an_empty_database_is_not_from_before(now):
    recorder = MigrationRecorder(connection)
    for app, name in recorder.applied_migrations():
        if app == "affiliates":
            recorder.record_unapplied(app, name)

    assert list(database.made_before_release(connection)) == []


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


@each(
    ("_case", "options", "count"),
    [
        ("for minutes", {}, 1),
        ("without end", {"connect_timeout": 0}, 1),
        ("too long", {"connect_timeout": 11}, 1),
        ("a few seconds", {"connect_timeout": 5}, 0),
        ("as an address has it", {"connect_timeout": "10"}, 0),
    ],
)
def test_connecting_to_a_silent_server_must_end(monkeypatch, options, count):
    monkeypatch.setattr(connection, "vendor", "postgresql")
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)

    found = list(database.connecting())

    assert [one.id for one in found] == ["affiliates.W002"] * count


@each(
    ("options", "count"),
    [
        ({}, 1),
        ({"transaction_mode": "DEFERRED"}, 1),
        ({"transaction_mode": "immediate"}, 0),
        ({"transaction_mode": "EXCLUSIVE"}, 0),
    ],
)
def test_sqlite_lets_writers_wait(monkeypatch, options, count):
    monkeypatch.setattr(connection, "vendor", "sqlite")
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)

    assert [one.id for one in database.writing()] == ["affiliates.W014"] * count


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
    ("away", "level", "said"),
    [
        (timedelta(0), None, ""),
        (timedelta(seconds=4), None, ""),
        (timedelta(seconds=-4), None, ""),
        (timedelta(seconds=50), "WARNING", "50"),
        (timedelta(hours=1, seconds=30), "ERROR", "3,6"),
        (timedelta(hours=-1, seconds=-30), "ERROR", "3,6"),
        (timedelta(days=2), "ERROR", "172,"),
    ],
)
def test_clocks_that_are_apart_are_named(away, level, said, monkeypatch, now):
    monkeypatch.setattr(database, "connection", Elsewhere(away))

    found = [(one.level, one.msg) for one in database.tells_the_time(now)]

    assert [one for one, _ in found] == ([getattr(messages, level)] if level else [])
    assert all(f"are {said}" in one for _, one in found)


def test_the_clock_of_this_database_is_ours(now):
    assert list(database.tells_the_time(now)) == []
