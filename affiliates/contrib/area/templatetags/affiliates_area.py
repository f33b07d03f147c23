"""How the area writes what its API answers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django import template
from django.db.models import TextChoices
from django.template import Context
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from moneyed import Money

from affiliates.core.money import local_text

register = template.Library()
# The numbers of days that lists and charts offer, counted back from today.
SPANS = (7, 30, 90)
TONES = {
    **dict.fromkeys(("paid", "approved", "granted"), "good"),
    **dict.fromkeys(
        ("pending", "matured", "held", "requested", "exported", "open", "unpaid"),
        "wait",
    ),
    **dict.fromkeys(("rejected", "reversed", "returned", "declined", "lost"), "bad"),
}


@register.simple_tag
def amount(decimal: str, currency: str) -> str:
    """A decimal number as text, in the reader's language: 12.50 as €12.50."""
    return _amount(decimal, currency, get_language() or "en")


# A year by days has hundreds of numbers, the same on every page that shows it.
@lru_cache(maxsize=10_000)
def _amount(decimal: str, currency: str, language: str) -> str:
    return local_text(Money(Decimal(decimal), currency), language)


@lru_cache(maxsize=10_000)
def _number(number: int, language: str) -> str:  # noqa: ARG001 - which is the active one
    return escape(number_format(number, use_l10n=True, force_grouping=True))


@register.simple_tag
def number_cells(numbers: Iterable[int], amounts: Iterable[str]) -> SafeString:
    """The cells of a row, the amounts in one: a year has too many rows for includes."""
    language = get_language() or "en"
    shown = [_number(number, language) for number in numbers]
    earned = "<br>".join(map(escape, amounts))
    cells = [f'<td class="number">{number}</td>' for number in (*shown, earned)]
    return mark_safe("".join(cells))  # noqa: S308 - escaped


@register.filter(expects_localtime=True)
def day(value: date | None) -> str:
    """A day, or the day of a moment, in the one form of the area: 23 Nov 2026."""
    return "" if value is None else date_format(value, _("j M Y"))


@register.filter(expects_localtime=True)
def moment(value: datetime | None) -> str:
    """A day and time in the one form of the area: 23 Nov 2026, 05:16."""
    return "" if value is None else date_format(value, _("j M Y, H:i"))


@register.simple_tag(takes_context=True)
def spans(context: Context) -> list[dict[str, Any]]:
    """The latest days to choose from, if the page's filters have days."""
    form = context["filters"]
    if "first" not in form.fields:
        return []
    zone = context["affiliate"].brand.zone()
    today = timezone.now().astimezone(zone).date()
    shown = {name: str(form[name].value() or "") for name in ("first", "last")}
    parameters = []
    for days in SPANS:
        first = today - timedelta(days=days - 1)
        query = context["request"].GET.copy()
        query.pop("page", None)
        chosen = {"first": str(first), "last": str(today)}
        for name, value in chosen.items():
            query[name] = value
        parameters.append(
            {"days": days, "query": query.urlencode(), "is_chosen": shown == chosen}
        )
    return parameters


@register.simple_tag
def badge(code: str, enum: type[TextChoices]) -> str:
    """A status in a colour that says whether it is settled, waiting or lost."""
    shown = label_in(code, enum)
    return format_html('<span class="badge {}">{}</span>', TONES.get(code, ""), shown)


@register.filter
def label_in(code: str, enum: type[TextChoices]) -> str:
    """The label of the member with this code, or the code if there is none."""
    return str(enum(code).label) if code in enum.values else code


@register.filter
def as_number(decimal: str) -> str:
    """A decimal number as text, in the reader's language: 12.5 as 12,5."""
    return number_format(Decimal(decimal))
