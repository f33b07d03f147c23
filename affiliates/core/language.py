"""The languages of texts, and the form of numbers in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from django.db.models import TextChoices
from django.utils.formats import number_format
from django.utils.translation import get_language

ENGLISH = "en"
# Texts for visitors and affiliates are complete in each: tests/test_translations.py
# checks.
LANGUAGES = {"en": "English", "de": "Deutsch"}


def first_of_ours(*codes: str) -> str:
    """The language of the first code that is one of ours, else English."""
    languages = (code.partition("-")[0] for code in codes)
    return next((language for language in languages if language in LANGUAGES), ENGLISH)


def text_language() -> str:
    """The current language of texts: the active one if we have it, else English."""
    return first_of_ours(get_language() or ENGLISH)


def translated(text: str, translations: Mapping[str, str], language: str = "") -> str:
    """The text's translation into the language, the active one if "", else the text.

    ``de-at`` falls back to ``de``.
    """
    language = language or get_language() or ""
    codes = (language, language.partition("-")[0])
    return next((translations[code] for code in codes if code in translations), text)


def number_text(decimal: str) -> str:
    """A decimal number as text, for sentences: 12.5, or 12,5 in German."""
    if text_language() == ENGLISH:
        return decimal
    return number_format(Decimal(decimal))


def inside_sentence(choice: TextChoices) -> str:
    """The label for use inside a sentence, after its first word."""
    label = str(choice.label)
    return label[0].lower() + label[1:]
