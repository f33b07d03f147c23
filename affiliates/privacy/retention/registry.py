"""Actions before clicks are purged: apps register their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from affiliates.brands.models.brand import Brand


class BeforePurge(Protocol):
    """Called before clicks of the brand that are older than ``before`` are purged.

    May be called again for the same ones. An exception keeps the clicks.
    """

    def __call__(self, brand: Brand, *, before: datetime, now: datetime) -> None: ...


_registered: list[BeforePurge] = []


def before_purge(act: BeforePurge) -> BeforePurge:
    """Registers the decorated function."""
    _registered.append(act)
    return act


def registered() -> Iterator[BeforePurge]:
    yield from _registered
