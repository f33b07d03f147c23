"""Running one thing many times at once, for tests on PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import pytest
from django.db import connection, connections

T = TypeVar("T")

needs_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql",
    reason="races are run on PostgreSQL: SQLite has one writer at a time",
)


def at_once(count: int, act: Callable[[int], T]) -> list[T]:
    """Call ``act(0)`` ... ``act(count - 1)`` from as many threads, started together."""
    barrier = Barrier(count)

    def run(number: int) -> T:
        barrier.wait(timeout=120)
        try:
            return act(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def await_lock() -> None:
    """Until a session of this database waits for another's lock."""
    # Not pg_stat_activity, which a transaction sees as it was when it first looked.
    waiting = (
        "SELECT 1 FROM pg_locks waiting JOIN pg_locks held USING (pid)"
        " JOIN pg_database ON pg_database.oid = held.database"
        " WHERE NOT waiting.granted AND datname = current_database()"
    )
    give_up_at = time.monotonic() + 30
    with connection.cursor() as cursor:
        while not cursor.execute(waiting).fetchone():
            assert time.monotonic() < give_up_at, "nobody waits"
            time.sleep(0.01)
