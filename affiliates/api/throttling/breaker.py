"""Keeps requests from waiting, one after another, for a service that does not answer."""

from __future__ import annotations

from threading import Lock
from time import monotonic

PAUSE_SECONDS = 5.0


class Breaker:
    """Opens at a failure. After a pause one caller tries again while the others go on."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._try_at: float | None = None
        self.failures = 0

    @property
    def is_open(self) -> bool:
        return self._try_at is not None

    def may_try(self) -> bool:
        if self._try_at is None:
            return True
        with self._lock:
            if monotonic() < (self._try_at or 0.0):
                return False
            self._try_at = monotonic() + PAUSE_SECONDS
            return True

    def fail(self) -> bool:
        """Whether this opened it."""
        with self._lock:
            was_closed = self._try_at is None
            self._try_at = monotonic() + PAUSE_SECONDS
            self.failures += 1
            return was_closed

    def succeed(self) -> None:
        if self._try_at is not None:
            with self._lock:
                self._try_at = None
