"""Sentences in the reader's language, for code that knows no framework.

Until somebody says by what (``speak_by``), they are as they are written: in English.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

ENGLISH = "en"
# What visitors and affiliates read is complete in each: tests/test_translations.py sees to it.
LANGUAGES = {"en": "English", "de": "Deutsch"}


def _as_written(text: str) -> str:
    return text


def _one_or_many(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def _english() -> str:
    return ENGLISH


_translate: Callable[[str], str] = _as_written
_count: Callable[[str, str, int], str] = _one_or_many
_number: Callable[[Decimal], str] = str
_language: Callable[[], str | None] = _english


def speak_by(
    translate: Callable[[str], str],
    count: Callable[[str, str, int], str],
    number: Callable[[Decimal], str],
    language: Callable[[], str | None],
) -> None:
    """The functions of a gettext catalogue: of a text, and of one or many. What writes a
    number in the language that is active, and which that is."""
    global _translate, _count, _number, _language  # noqa: PLW0603 - one language at a time, as gettext has it
    _translate, _count, _number, _language = translate, count, number, language


def spoken() -> str:
    """The language that texts are in now: the active one where it is one of ours."""
    code = (_language() or ENGLISH).partition("-")[0]
    return code if code in LANGUAGES else ENGLISH


def number(decimal: str) -> str:
    """A decimal number as text, for sentences: 12.5, or 12,5 in German."""
    return decimal if spoken() == ENGLISH else _number(Decimal(decimal))


def gettext(text: str) -> str:
    # A catalogue answers the empty text with what it says of itself.
    return _translate(text) if text else text


def ngettext(one: str, many: str, count: int) -> str:
    return _count(one, many, count)


def gettext_noop(text: str) -> str:
    """Found by those who translate; it is translated where it is shown."""
    return text
