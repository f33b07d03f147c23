"""Texts of cells and fields, as people paste them and programs write them. Pure."""

from __future__ import annotations

import re
from unicodedata import category

# How databases write a value that is absent.
_NO_VALUES = frozenset({"null", "\\n"})


def trimmed(text: str) -> str:
    """The text without blanks and invisible marks around it."""
    start, end = 0, len(text)
    while start < end and _is_unseen(text[start]):
        start += 1
    while start < end and _is_unseen(text[end - 1]):
        end -= 1
    return text[start:end]


def without_unseen(text: str) -> str:
    """The text without any blanks and invisible marks."""
    return "".join(letter for letter in text if not _is_unseen(letter))


def plain_cell(text: str) -> str:
    """The value; NULL and \\N of databases are none."""
    text = trimmed(text)
    return "" if text.casefold() in _NO_VALUES else text


def plain_heading(text: str) -> str:
    """Post Affiliate Pro begins its headings with an exclamation mark."""
    text = trimmed(trimmed(text).removeprefix("!"))
    return re.sub(r"[\s-]+", "_", text.casefold())


def _is_unseen(letter: str) -> bool:
    return letter.isspace() or category(letter) == "Cf"
