"""Sentences in the reader's language, for code that knows no framework.

Until somebody says by what (``speak_by``), they are as they are written: in English.
"""

from __future__ import annotations

from collections.abc import Callable

# What visitors and affiliates read is complete in each: tests/test_translations.py sees to it.
LANGUAGES = {"en": "English", "de": "Deutsch"}


def _as_written(text: str) -> str:
    return text


def _one_or_many(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


_translate: Callable[[str], str] = _as_written
_count: Callable[[str, str, int], str] = _one_or_many


def speak_by(
    translate: Callable[[str], str], count: Callable[[str, str, int], str]
) -> None:
    """The functions of a gettext catalogue: of a text, and of one or many."""
    global _translate, _count  # noqa: PLW0603 - one language at a time, as gettext has it
    _translate, _count = translate, count


def gettext(text: str) -> str:
    # A catalogue answers the empty text with what it says of itself.
    return _translate(text) if text else text


def ngettext(one: str, many: str, count: int) -> str:
    return _count(one, many, count)


def gettext_noop(text: str) -> str:
    """Found by those who translate; it is translated where it is shown."""
    return text
