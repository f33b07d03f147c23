"""What an examination found: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from inspect import isclass
from typing import Any

from django.core.checks import ERROR, INFO, WARNING, CheckMessage
from django.utils.module_loading import import_string


class Finding(CheckMessage):
    """A system check message: ``msg`` is what is wrong, ``hint`` the remedy."""

    def __init__(self, level: int, code: str, problem: str, remedy: str) -> None:
        super().__init__(level, problem, hint=remedy, id=f"affiliates.{code}")


def error(code: str, problem: str, remedy: str) -> Finding:
    return Finding(ERROR, code, problem, remedy)


def warning(code: str, problem: str, remedy: str) -> Finding:
    return Finding(WARNING, code, problem, remedy)


def information(code: str, problem: str, remedy: str) -> Finding:
    return Finding(INFO, code, problem, remedy)


def counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


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
