"""The deadline of the visit that this thread answers: no wait for a database ends later."""

from __future__ import annotations

from contextvars import ContextVar, Token
from time import monotonic


class DatabaseAway(Exception):  # noqa: N818 - says what was found
    """The database has not answered within the deadline, or cannot answer."""


class Unknown:
    """Notes that the database, which is away, would have been needed in the block."""

    is_something = False

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        is_away = kind is not None and issubclass(kind, DatabaseAway)
        self.is_something |= is_away
        return is_away


class Deadline:
    """A block that ends within ``seconds``, or with the block around it if that is earlier."""

    __slots__ = ("_seconds", "_token")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        until = monotonic() + self._seconds
        outer = _until.get()
        self._token: Token[float | None] | None = None
        if outer is None or until < outer:
            self._token = _until.set(until)

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _until.reset(self._token)


_until: ContextVar[float | None] = ContextVar("until", default=None)


def seconds_left() -> float | None:
    """Seconds until the deadline, 0 once it has passed; None if there is none."""
    until = _until.get()
    return None if until is None else max(until - monotonic(), 0.0)


def patience() -> float:
    """The same as the timeout of a lock, where -1 means none."""
    left = seconds_left()
    return -1 if left is None else left


def is_over() -> bool:
    until = _until.get()
    return until is not None and monotonic() >= until
