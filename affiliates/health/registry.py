"""The examinations of an installation, each with what it needs.

Each module registers its own; an app beside the core does so in ``affiliates_hooks.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, auto

from affiliates.health.findings import Finding


class Needs(IntEnum):
    """What must be there for an examination. The doctor proceeds in this order."""

    SETTINGS = auto()
    # On disk alone.
    MIGRATIONS = auto()
    # The cache, the mail server and the files.
    SERVICES = auto()
    # A database that may not answer. After an error, nothing further is asked of it.
    CONNECTION = auto()
    DATABASE = auto()
    # All that the host puts in front of our endpoints.
    REQUESTS = auto()


Look = Callable[..., Iterator[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """``look`` takes the time of the examination, unless it needs the code alone."""

    look: Look
    needs: Needs
    reads: frozenset[str]

    def findings(self, now: datetime) -> Iterator[Finding]:
        return self.look() if self.needs <= Needs.MIGRATIONS else self.look(now)


_examinations: list[Examination] = []


def register(needs: Needs, *, reads: tuple[str, ...] = ()) -> Callable[[Look], Look]:
    """Registers the decorated generator of findings as an examination.

    ``manage.py check`` makes those that need only settings, ``migrate`` those of the
    migrations and ``affiliates_doctor`` all. An examination is left out while a setting
    that it ``reads`` has a value of the wrong type.
    """

    def decorate(look: Look) -> Look:
        _examinations.append(
            Examination(look=look, needs=needs, reads=frozenset(reads))
        )
        return look

    return decorate


def examinations() -> list[Examination]:
    """In the order of their needs, then of their registration."""
    return sorted(_examinations, key=lambda one: one.needs)
