"""How the area writes what its API answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from django import template
from django.utils.formats import localize, number_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from moneyed import Money

from affiliates.core.money import local_text

register = template.Library()


@register.simple_tag
def amount(decimal: str, currency: str) -> str:
    """A decimal number as text, in the reader's language: 12.50 as 12,50 EUR."""
    return local_text(Money(Decimal(decimal), currency), get_language() or "en")


@register.simple_tag
def number_cells(numbers: Iterable[int], amounts: Iterable[str]) -> SafeString:
    """The cells of a row, the amounts in one: a year has too many rows for includes."""
    shown = [str(localize(one)) for one in numbers]
    earned = format_html_join(mark_safe("<br>"), "{}", ((one,) for one in amounts))  # noqa: S308 - of no text
    cells = ((one,) for one in (*shown, earned))
    return format_html_join("", '<td class="number">{}</td>', cells)


@register.filter
def named(code: str, words: Mapping[str, str]) -> str:
    """What people read of a code."""
    return words.get(code, code)


@register.filter
def as_number(decimal: str) -> str:
    """A decimal number as text, in the reader's language: 12.5 as 12,5."""
    return number_format(Decimal(decimal))
