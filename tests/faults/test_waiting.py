"""Nothing silent holds a thread: neither a server that said nothing for seconds, nor a lock."""

from __future__ import annotations

import sqlite3
import time

import pytest
from django.db import OperationalError, connection, connections
from django.db.backends.sqlite3.base import DatabaseWrapper

from affiliates.db.deadlines import sockets
from affiliates.db.deadlines.deadline import Deadline
from affiliates.visits.writer import _locks_awaited_until_the_deadline
from tests.faults.visiting import database_behind_a_proxy
from tests.races import needs_postgresql


@pytest.fixture
def behind_a_proxy(transactional_db, monkeypatch):
    """A connection of Django's, and the proxy before its server."""
    monkeypatch.setattr(sockets, "SILENCE_SECONDS", 0.5)
    monkeypatch.setattr(sockets, "SIGN_SECONDS", 1.0)
    with database_behind_a_proxy(monkeypatch) as proxy:
        other = connections["default"].copy()
        other.ensure_connection()
        yield other, proxy
        other.close()


@needs_postgresql
def test_long_statement_of_a_server_that_lives_is_waited_for(behind_a_proxy):
    other, _ = behind_a_proxy
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(2), 7")

        assert cursor.fetchone()[1] == 7


@needs_postgresql
def test_silent_server_is_given_up_and_its_connection_closed(behind_a_proxy):
    other, proxy = behind_a_proxy
    proxy.fall_silent()
    began_at = time.monotonic()

    with pytest.raises(OperationalError, match="silent"), other.cursor() as cursor:
        cursor.execute("SELECT 1")

    assert time.monotonic() - began_at < 3
    assert other.connection.closed
    other.close_if_unusable_or_obsolete()
    assert other.connection is None


@needs_postgresql
def test_deadline_ends_a_statement_and_its_connection(behind_a_proxy):
    other, _ = behind_a_proxy
    began_at = time.monotonic()

    with (
        Deadline(0.3),
        pytest.raises(OperationalError, match="deadline"),
        other.cursor() as cursor,
    ):
        cursor.execute("SELECT pg_sleep(5)")

    assert 0.3 <= time.monotonic() - began_at < 2
    assert other.connection.closed


@pytest.mark.django_db
def test_sqlite_waits_for_a_lock_until_the_deadline(tmp_path):
    path = str(tmp_path / "clicks.sqlite3")
    settings = {
        **connection.settings_dict,
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
    }
    own = DatabaseWrapper(settings, alias="own")
    with own.cursor() as cursor:
        cursor.execute("CREATE TABLE clicks (id integer)")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    began_at = time.monotonic()

    with (
        Deadline(0.3),
        pytest.raises(OperationalError, match="locked"),
        _locks_awaited_until_the_deadline(own),
        own.cursor() as cursor,
    ):
        cursor.execute("INSERT INTO clicks VALUES (1)")

    assert 0.2 <= time.monotonic() - began_at < 2
    other.close()
    with own.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)
        assert cursor.execute("SELECT * FROM clicks").fetchall() == []
    own.close()
