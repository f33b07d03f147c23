"""The parts of the job ``purge``: each package registers its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol


class Purge(Protocol):
    """Returns how many rows it purged."""

    def __call__(self, *, now: datetime) -> int: ...


_purges: dict[str, Purge] = {}


def register(said: str) -> Callable[[Purge], Purge]:
    """Registers the decorated function as a part of the job ``purge``.

    ``said`` follows that number in the report, such as "saved lists deleted".
    """

    def decorate(purge: Purge) -> Purge:
        _purges[said] = purge
        return purge

    return decorate


def purge_all(*, now: datetime) -> dict[str, int]:
    """Runs every purge. Returns what each one counted, by its ``said``."""
    return {said: _purges[said](now=now) for said in sorted(_purges)}
