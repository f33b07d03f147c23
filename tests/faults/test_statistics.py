"""The worker dies in the midst of counting, and much is committed late."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from threading import Event, Thread
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connections, transaction

from affiliates.contrib.statistics.services import count_changes
from tests.affiliates.contrib.statistics.histories import History
from tests.affiliates.contrib.statistics.test_histories import verified
from tests.affiliates.till import order_of
from tests.database import database_url
from tests.factories.affiliates import BrandFactory
from tests.factories.programs import make_world
from tests.faults.stand import forks
from tests.faults.statistics_workers import COUNTED_AT
from tests.lengths import times
from tests.races import needs_postgresql

pytestmark = [
    pytest.mark.long,
    needs_postgresql,
    pytest.mark.django_db(transaction=True),
]

HISTORIES = times(3, long=300)
KILLS = times(3, long=50)
ACTS = 30


class Late:
    """A transaction that has written, and commits when it is told to."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._is_written, self._may_commit = Event(), Event()
        self._thread = Thread(target=self._write)
        self._thread.start()
        assert self._is_written.wait(60)

    def commit(self) -> None:
        self._may_commit.set()
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _write(self) -> None:
        world = self._history.world
        try:
            with transaction.atomic():
                self._history.visit()
                self._history.click_long_ago()
                stranger = world.arrive()
                # Nobody else can know a client who is not committed yet.
                world.visitors.remove(stranger)
                self._history.world.visit(stranger, world.affiliates[0])
                world.register(stranger)
                reference = uuid4().hex
                order_of(
                    world.affiliates[1],
                    stranger.client,
                    order_ref=reference,
                    invoice_ref=reference,
                )
                self._is_written.set()
                self._may_commit.wait(60)
        finally:
            connections.close_all()


class Workers:
    def __init__(self, fork: Callable[[], int]) -> None:
        self._fork = fork
        self._pid = fork()

    def kill_one(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        self._pid = self._fork()


@contextmanager
def counting() -> Iterator[Workers]:
    variables = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE,
        "DATABASE_URL": database_url(),
    }
    with forks(variables, "tests.faults.statistics_workers:count_on") as fork:
        yield Workers(fork)


def test_what_is_committed_late_is_counted_however_often_the_worker_is_killed():
    chance = Random(20_260_310)  # noqa: S311 - moments, not secrets
    moments = [chance.randrange(HISTORIES * ACTS) for _ in range(KILLS)]
    with counting() as workers:
        for number in range(HISTORIES):
            history = _history(number)
            late: list[Late] = []
            for act in range(ACTS):
                history.go_on()
                if chance.random() < 0.1:
                    late.append(Late(history))
                if late and chance.random() < 0.1:
                    late.pop(chance.randrange(len(late))).commit()
                if not late and chance.random() < 0.04:
                    history.purge()
                for _ in range(moments.count(number * ACTS + act)):
                    workers.kill_one()
            for one in late:
                one.commit()
            assert history.world.now < COUNTED_AT
            count_changes(now=lambda: COUNTED_AT)

            assert history.faults() == [], number
            assert verified(history) == [], number
            # The others are counted without it.
            history.world.brand.is_test = True
            history.world.brand.save(update_fields=["is_test"])


def _history(number: int) -> History:
    brand = BrandFactory(client_area=f"shop-{number}.example.com")
    chance = Random(number)  # noqa: S311 - a history, not a secret
    return History(chance=chance, world=make_world(brand))
