"""The examinations of an installation, each with what it needs.

Each module registers its own; an app beside the core does so in ``affiliates_hooks.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Flag, IntEnum, auto
from typing import Any, NamedTuple

from affiliates.operations.health.findings import Finding


class Needs(IntEnum):
    """The prerequisite of an examination. The doctor proceeds in this order."""

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
    """Where findings are shown.

    ``manage.py check`` shows what needs settings only, and ``migrate`` what needs the
    migrations.
    """

    DOCTOR = auto()
    # What a brand lacks until its shop works.
    FIRST_STEPS = auto()
    # Each part of the installation that works in the background.
    HEALTH = auto()
    # An error among these keeps requests away from this process.
    READINESS = auto()


Look = Callable[..., Iterator[Finding]]


class Examination(NamedTuple):
    """A generator of findings, and where they are shown.

    ``look`` is called with the brand if it needs one, without arguments if it needs only
    settings or migrations, and otherwise with the time. It is left out while a setting
    that it ``reads`` has a value of the wrong type. ``title`` names the subject on a
    page, which takes the ``permission``.
    """

    look: Look
    needs: Needs
    shown: Shown = Shown.DOCTOR
    title: str = ""
    permission: str = ""
    reads: Sequence[str] = ()


_examinations: list[Examination] = []


def register(needs: Needs, **declared: Any) -> Callable[[Look], Look]:
    """Registers the decorated function as an ``Examination`` with these fields."""

    def decorate(look: Look) -> Look:
        _examinations.append(Examination(look, needs, **declared))
        return look

    return decorate


def examinations(shown: Shown = Shown.DOCTOR) -> list[Examination]:
    """In the order of their needs, then of their registration."""
    shown_examinations = [
        examination for examination in _examinations if shown in examination.shown
    ]
    return sorted(shown_examinations, key=lambda row: row.needs)


def titled(shown: Shown, subject: Any, user: Any = None) -> Iterator[Finding]:
    """The findings for a page, which also shows what is fine, as far as the user may."""
    for examination in examinations(shown):
        if not examination.permission or user.has_perm(examination.permission):
            for finding in examination.look(subject):
                finding.title = finding.title or examination.title
                yield finding
