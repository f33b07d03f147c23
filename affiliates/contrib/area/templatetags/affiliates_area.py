"""How the area writes what its API answers."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache

from django import template
from django.db.models import TextChoices
from django.utils.formats import localize, number_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from moneyed import Money

from affiliates.core.money import local_text

register = template.Library()


@register.simple_tag
def amount(decimal: str, currency: str) -> str:
    """A decimal number as text, in the reader's language: 12.50 as 12,50 EUR."""
    return _amount(decimal, currency, get_language() or "en")


# A year by days has hundreds of numbers, the same on every page that shows it.
@lru_cache(maxsize=10_000)
def _amount(decimal: str, currency: str, language: str) -> str:
    return local_text(Money(Decimal(decimal), currency), language)


@lru_cache(maxsize=10_000)
def _number(number: int, language: str) -> str:  # noqa: ARG001 - which is the active one
    return escape(localize(number))


@register.simple_tag
def number_cells(numbers: Iterable[int], amounts: Iterable[str]) -> SafeString:
    """The cells of a row, the amounts in one: a year has too many rows for includes."""
    language = get_language() or "en"
    shown = [_number(one, language) for one in numbers]
    earned = "<br>".join(map(escape, amounts))
    cells = [f'<td class="number">{one}</td>' for one in (*shown, earned)]
    return mark_safe("".join(cells))  # noqa: S308 - escaped


@register.filter
def label_in(code: str, enum: type[TextChoices]) -> str:
    """The label of the member with this code, or the code if there is none."""
    return str(enum(code).label) if code in enum.values else code


@register.filter
def as_number(decimal: str) -> str:
    """A decimal number as text, in the reader's language: 12.5 as 12,5."""
    return number_format(Decimal(decimal))
