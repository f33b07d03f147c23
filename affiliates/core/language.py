"""The languages of texts, and the form of numbers in sentences."""

from __future__ import annotations

from decimal import Decimal

from django.db.models import TextChoices
from django.utils.formats import number_format
from django.utils.translation import get_language

ENGLISH = "en"
# Texts for visitors and affiliates are complete in each: tests/test_translations.py
# checks.
LANGUAGES = {"en": "English", "de": "Deutsch"}


def text_language() -> str:
    """The current language of texts: the active one if we have it, else English."""
    code = (get_language() or ENGLISH).partition("-")[0]
    return code if code in LANGUAGES else ENGLISH


def number_text(decimal: str) -> str:
    """A decimal number as text, for sentences: 12.5, or 12,5 in German."""
    if text_language() == ENGLISH:
        return decimal
    return number_format(Decimal(decimal))


def inside_sentence(choice: TextChoices) -> str:
    """The label for use inside a sentence, after its first word."""
    label = str(choice.label)
    return label[0].lower() + label[1:]
