"""A machine whose clock is far from the database's serves nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection

from affiliates.db import clock
from affiliates.db.clock import WrongClock, refuse_wrong_clock
from affiliates.worker.models import WorkerJob
from tests.races import needs_postgresql

SAID = (
    "The clocks of this machine and of the database are 1,200 seconds apart, and "
    "AFFILIATES_MAX_CLOCK_SKEW_SECONDS is 60. Have both set by NTP."
)


@pytest.fixture(params=[1, -1], ids=["ahead", "behind"])
def wrong_clock(request, transactional_db) -> Iterator[None]:
    # Half a second more: a slow answer of the database counts for the clock.
    away = request.param * timedelta(minutes=20, seconds=0.4)
    with time_machine.travel(datetime.now(tz=UTC) + away):
        yield


@needs_postgresql
def test_a_wrong_clock_is_refused(wrong_clock):
    with pytest.raises(WrongClock) as caught:
        refuse_wrong_clock()

    assert str(caught.value) == SAID


@needs_postgresql
def test_the_worker_does_not_start_with_a_wrong_clock(wrong_clock):
    with pytest.raises(CommandError) as caught:
        call_command("affiliates_worker")

    assert str(caught.value) == SAID
    assert not WorkerJob.objects.exists()


@needs_postgresql
@pytest.mark.parametrize("limit", [0, 3600])
def test_the_limit_is_a_setting(wrong_clock, settings, limit):
    settings.AFFILIATES_MAX_CLOCK_SKEW_SECONDS = limit

    refuse_wrong_clock()


def test_the_right_clock_is_accepted(transactional_db):
    refuse_wrong_clock()


def test_a_database_that_does_not_answer_refuses_nobody(transactional_db, monkeypatch):
    asked, goes_on = threading.Event(), threading.Event()

    class Silent:
        vendor = "postgresql"

        def copy(self):
            return self

        def cursor(self):
            asked.set()
            goes_on.wait()
            raise connection.Database.OperationalError

        def close(self):
            pass

    monkeypatch.setattr(clock, "connection", Silent())
    monkeypatch.setattr(clock, "PATIENCE_SECONDS", 0.05)

    refuse_wrong_clock()

    assert asked.is_set()
    goes_on.set()
