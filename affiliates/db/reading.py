"""From which database rows of these apps are read where a report says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Empty: from where they are written.
_alias: ContextVar[str] = ContextVar("affiliates_reading", default="")


def current() -> str:
    """The alias that reads use now, or "" for the database of the writes."""
    return _alias.get()


@contextmanager
def read_from(alias: str) -> Iterator[None]:
    token = _alias.set(alias)
    try:
        yield
    finally:
        _alias.reset(token)
