"""The examinations of an installation, each with what it needs.

Each module registers its own; an app beside the core does so in ``affiliates_hooks.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Flag, IntEnum, auto
from typing import Any

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
    # Made for each active brand.
    BRAND = auto()
    # All that the host puts in front of our endpoints.
    REQUESTS = auto()


class Shown(Flag):
    """Where findings are shown; ``manage.py check`` shows those of settings."""

    DOCTOR = auto()
    # What a brand lacks until its first visit.
    FIRST_STEPS = auto()
    # Each part of the installation that works in the background.
    HEALTH = auto()


Look = Callable[..., Iterator[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """``look`` takes the brand or the time; nothing if it needs the code alone."""

    look: Look
    needs: Needs
    shown: Shown
    title: str
    permission: str
    reads: frozenset[str]


_examinations: list[Examination] = []


def register(
    needs: Needs,
    *,
    shown: Shown = Shown.DOCTOR,
    title: str = "",
    permission: str = "",
    reads: tuple[str, ...] = (),
) -> Callable[[Look], Look]:
    """Registers the decorated generator of findings as an examination.

    ``manage.py check`` also makes those that need settings only, and ``migrate`` those
    of the migrations. ``title`` names the subject on a page, which takes the
    ``permission``. An examination is left out while a setting that it ``reads`` has a
    value of the wrong type.
    """

    def decorate(look: Look) -> Look:
        _examinations.append(
            Examination(
                look=look,
                needs=needs,
                shown=shown,
                title=title,
                permission=permission,
                reads=frozenset(reads),
            )
        )
        return look

    return decorate


def examinations(shown: Shown = Shown.DOCTOR) -> list[Examination]:
    """In the order of their needs, then of their registration."""
    found = [one for one in _examinations if shown in one.shown]
    return sorted(found, key=lambda one: one.needs)


def titled(
    shown: Shown, subject: Any, *, may: Callable[[str], bool] | None = None
) -> Iterator[Finding]:
    """The findings for a page of somebody who ``may`` do so much; also what is fine."""
    for one in examinations(shown):
        if may is not None and one.permission and not may(one.permission):
            continue
        for finding in one.look(subject):
            finding.title = finding.title or one.title
            yield finding
