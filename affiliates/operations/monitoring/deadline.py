"""Runs a look in a thread, one at a time, and waits for it no longer than its deadline.

A database that accepts a connection and then says nothing holds one thread, not one per
request.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from time import monotonic
from typing import Generic, TypeVar

from django.db import connections

T = TypeVar("T")

# Callers within this time share a result, so that nobody can ask for more.
FRESH_SECONDS = 1.0


class WithDeadline(Generic[T]):
    """Gives what ``look()`` returned at most a second ago."""

    def __init__(self, look: Callable[[], T], *, seconds: float) -> None:
        self._look = look
        self._seconds = seconds
        self._lock = Lock()
        self._newest: Future[T] | None = None
        self._began_at = 0.0

    def result(self) -> T:
        """Raises TimeoutError if the look takes longer, and what it raises."""
        with self._lock:
            now = monotonic()
            newest = self._newest
            if newest is None or (
                newest.done() and now - self._began_at >= FRESH_SECONDS
            ):
                newest = self._newest = Future()
                self._began_at = now
                # A daemon: one that hangs must not keep the process from ending.
                Thread(target=self._run, args=(newest,), daemon=True).start()
            left = self._began_at + self._seconds - now
        return newest.result(timeout=max(left, 0))

    def forget(self) -> None:
        """Has the next caller look again."""
        self._newest = None

    def _run(self, future: Future[T]) -> None:
        try:
            try:
                outcome = self._look()
            finally:
                connections.close_all()
        except Exception as fault:  # noqa: BLE001 - raised again where it is asked for
            future.set_exception(fault)
        else:
            future.set_result(outcome)
