"""Running one thing many times at once, for tests on PostgreSQL."""

from __future__ import annotations

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
