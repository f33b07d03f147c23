"""Reads numbers as people and programs write them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

POINT, COMMA = ".", ","
# Switzerland groups by an apostrophe, others by a blank of one kind or another.
_BLANKS = "'\u2019 \u00a0\u2009\u202f"
# The minus of typesetters, and dashes that programs put in its place.
_MINUS = re.compile("[\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d]")
_IN_BRACKETS = re.compile(r"\((.*)\)|([^-+].*)-")


def read_decimals(text: str, marks: Iterable[str] = (POINT, COMMA)) -> set[Decimal]:
    """The numbers that a text may be: none, one, or two such as for 1.234.

    ``marks`` are the decimal marks that it may have. Below zero is a minus in front or
    behind, or brackets around.
    """
    text = _MINUS.sub("-", text).strip()
    if brackets := _IN_BRACKETS.fullmatch(text):
        text = (brackets[1] or brackets[2] or "").strip()
        # Twice below zero is no number.
        text = "" if text.startswith(("-", "+")) else f"-{text}"
    numbers = (_read(text, mark) for mark in marks)
    return {number for number in numbers if number is not None}


def _read(text: str, mark: str) -> Decimal | None:
    if not _NUMBERS[mark].fullmatch(text):
        return None
    whole, _, part = text.partition(mark)
    digits = re.sub(r"[^0-9+-]", "", whole)
    return Decimal(f"{digits}.{part}" if part else digits)


def _number(mark: str, group: str) -> re.Pattern[str]:
    return re.compile(
        rf"[+-]? ?(?:[0-9]{{1,19}}|[1-9][0-9]{{0,2}}(?:[{group}][0-9]{{3}}){{1,6}}"
        rf"|[1-9][0-9]{{0,2}}(?:[{_BLANKS}][0-9]{{3}}){{1,6}})"
        rf"(?:[{mark}][0-9]{{1,9}})?"
    )


_NUMBERS = {POINT: _number(POINT, COMMA), COMMA: _number(COMMA, POINT)}
