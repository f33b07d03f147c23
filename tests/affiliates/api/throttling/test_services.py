"""Calls are limited for all processes together, also where they share no cache."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
import time_machine
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from affiliates.api.throttling import own, services
from affiliates.api.throttling.models import CallCount
from affiliates.api.throttling.own import OwnCounts
from affiliates.api.throttling.services import count_call, delete_ended
from tests.races import at_once, needs_postgresql

CALLER = "register:203.0.113.0/24"


class Processes:
    """Processes that share the database and nothing else."""

    def __init__(self, count: int) -> None:
        self._counts = [OwnCounts() for _ in range(count)]

    def call(self, number: int, monkeypatch, *, limit: int) -> bool:
        """Whether this process admits a call."""
        own = self._counts[number % len(self._counts)]
        monkeypatch.setattr(services, "own_counts", own)
        return count_call(CALLER, limit=limit, seconds=60) is None


@pytest.fixture
def clock(now):
    with time_machine.travel(now, tick=False) as traveller:
        yield traveller


@pytest.fixture
def processes(transactional_db, clock) -> Processes:
    return Processes(4)


def test_small_limits_hold_exactly(processes, monkeypatch):
    admitted = [processes.call(one, monkeypatch, limit=10) for one in range(90)]

    assert admitted == [True] * 10 + [False] * 80


def test_large_limits_are_exceeded_by_5_percent_a_process_at_most(
    processes, monkeypatch
):
    admitted = [processes.call(one, monkeypatch, limit=600) for one in range(2_400)]

    assert 600 <= sum(admitted) <= 600 + 3 * 29
    assert not any(admitted[720:])


def test_calls_of_one_visitor_do_not_ask_the_database(processes, monkeypatch):
    with CaptureQueriesContext(connection) as captured:
        admitted = [processes.call(0, monkeypatch, limit=600) for _ in range(29)]

    assert admitted == [True] * 29
    assert len(captured) == 0


def test_refused_calls_do_not_ask_the_database(processes, monkeypatch):
    for number in range(3):
        processes.call(number, monkeypatch, limit=2)
    assert processes.call(2, monkeypatch, limit=2) is False

    with CaptureQueriesContext(connection) as captured:
        assert processes.call(2, monkeypatch, limit=2) is False

    assert len(captured) == 0


def test_a_window_ends(processes, clock):
    assert count_call(CALLER, limit=1, seconds=60) is None
    wait = count_call(CALLER, limit=1, seconds=60)
    assert wait is not None
    assert 0 < wait <= 60

    clock.shift(wait)

    assert count_call(CALLER, limit=1, seconds=60) is None


def test_neither_address_nor_email_is_stored(processes, monkeypatch, now):
    processes.call(0, monkeypatch, limit=1)

    (row,) = CallCount.objects.values()
    assert len(row.pop("key")) == 64
    assert row == {"calls": 1, "ends_at": now + timedelta(minutes=1)}


@needs_postgresql
def test_threads_of_a_process_are_all_counted(transactional_db):
    waits = at_once(20, lambda _: count_call(CALLER, limit=10, seconds=86_400))

    assert waits.count(None) == 10
    assert CallCount.objects.get().calls <= 20


def test_a_transaction_of_the_host_counts_in_memory_alone(processes, monkeypatch):
    with transaction.atomic():
        admitted = [processes.call(0, monkeypatch, limit=2) for _ in range(3)]

    assert admitted == [True, True, False]
    assert not CallCount.objects.exists()


def test_a_process_limits_alone_while_the_database_fails(
    processes, monkeypatch, caplog
):
    def fail(*_):
        raise DatabaseError("gone")

    monkeypatch.setattr(services, "_add", fail)

    with caplog.at_level(logging.WARNING):
        admitted = [processes.call(one, monkeypatch, limit=1) for one in range(8)]

    assert admitted == [True] * 4 + [False] * 4
    assert "Throttle not shared" in caplog.text


def test_ended_counts_are_deleted(db, now):
    for key, ends_at in (("old", now), ("new", now + timedelta(seconds=1))):
        CallCount.objects.create(key=key, calls=1, ends_at=ends_at)

    assert delete_ended(now=now) == 1
    assert CallCount.objects.get().key == "new"


def test_who_called_longest_ago_is_forgotten_first(monkeypatch):
    monkeypatch.setattr(own, "MAX_CALLERS", 2)
    counts = OwnCounts()
    for caller in ("a", "b", "a", "c"):
        counts.add(caller, 1.0)

    assert [counts.add(caller, 1.0)[1] for caller in ("a", "b")] == [3, 1]
