"""What a check found: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from inspect import isclass
from typing import Any

from django.core.checks import CheckMessage, Error, Warning
from django.utils.module_loading import import_string

Check = Callable[[], Iterator[CheckMessage]]


def message(code: str, problem: str, hint: str) -> CheckMessage:
    """``code`` is E and a number for an error, W for a warning."""
    level = Warning if code.startswith("W") else Error
    return level(problem, hint=hint, id=f"affiliates.{code}")


def reads(*names: str) -> Callable[[Check], Check]:
    """Marks a check that is left out while one of these settings cannot be read."""

    def mark(check: Check) -> Check:
        check.reads = frozenset(names)  # type: ignore[attr-defined]
        return check

    return mark


def meant(name: str, known: Iterable[str]) -> str:
    """Which of the known names was probably meant, else all of them."""
    known = sorted(known)
    return ", ".join(get_close_matches(name, known, n=1) or known)


def is_a(entry: Any, path: str) -> bool:
    """Whether the entry, a class or the path of one, is that class or made from it."""
    try:
        found = import_string(entry) if isinstance(entry, str) else entry
        return isclass(found) and issubclass(found, import_string(path))
    except ImportError:
        return False
