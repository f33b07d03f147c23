"""What an examination found: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from django.core.checks import CheckMessage, Error, Info, Warning

Examination = Callable[[datetime], Iterator[CheckMessage]]


def error(code: str, problem: str, remedy: str) -> CheckMessage:
    return Error(problem, hint=remedy, id=f"affiliates.{code}")


def warning(code: str, problem: str, remedy: str) -> CheckMessage:
    return Warning(problem, hint=remedy, id=f"affiliates.{code}")


def information(code: str, problem: str, remedy: str) -> CheckMessage:
    return Info(problem, hint=remedy, id=f"affiliates.{code}")


def counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
