"""How the area writes what its API answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django import template
from django.db.models import TextChoices
from django.forms import BoundField
from django.template import Context
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from moneyed import Money

from affiliates.contrib.statistics.metrics import Kind, Metric
from affiliates.core.days import month_of
from affiliates.core.money import local_text, plain_text
from affiliates.payouts.providers.registry import label_of

register = template.Library()
# The numbers of days that lists and charts offer, counted back from today.
SPANS = (7, 30, 90)
MONTHS = 12
MAX_LINKS = 9
NOTHING = "–"
TONES = {
    **dict.fromkeys(("paid", "approved", "granted"), "good"),
    **dict.fromkeys(
        ("pending", "matured", "held", "requested", "exported", "open", "unpaid"),
        "wait",
    ),
    **dict.fromkeys(("rejected", "reversed", "returned", "declined", "lost"), "bad"),
}


@register.filter
def file_kind(content_type: str) -> str:
    if content_type == "text/plain":
        return _("Text")
    return content_type.rpartition("/")[2].upper()


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
def result_cells(
    figures: Mapping[str, Any], columns: Iterable[Metric], *, is_card: bool = False
) -> SafeString:
    """The cells of a row of results: a year has too many rows for includes.

    ``is_card``: of a list whose rows are cards in a narrow window.
    """
    language = get_language() or "en"
    cells = []
    for column in columns:
        label = f' data-label="{escape(column.label)}"' if is_card else ""
        kind = "number result" if is_card else "number"
        text = _result(figures, column, language)
        cells.append(f'<td class="{kind}"{label}>{text}</td>')
    return mark_safe("".join(cells))  # noqa: S308 - escaped


def _result(figures: Mapping[str, Any], column: Metric, language: str) -> str:
    """The value, as escaped text; of amounts those that are not zero, each in a line."""
    if column.kind is Kind.COUNT:
        return _number(figures["counts"][column.name], language)
    if column.kind is Kind.PERCENT:
        rate = figures["counts"][column.name]
        return NOTHING if rate is None else f"{escape(number_format(Decimal(rate)))} %"
    amounts = [
        (of_currency[column.name], currency)
        for currency, of_currency in figures["amounts"].items()
    ]
    texts = [
        f"<div>{escape(_amount(decimal, currency, language))}</div>"
        for decimal, currency in amounts
        if decimal is not None and Decimal(decimal)
    ]
    return "".join(texts) or NOTHING


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
    """The latest days to choose from, if the page's filters have days.

    Where days are added up, also the latest twelve months, by month.
    """
    form = context["filters"]
    if "first" not in form.fields:
        return []
    zone = context["affiliate"].brand.zone()
    today = timezone.now().astimezone(zone).date()
    shown = {name: str(form[name].value() or "") for name in ("first", "last")}
    request = context["request"]
    choices = [(days, today - timedelta(days=days - 1)) for days in SPANS]
    if "by" in form.fields:
        choices.append((0, month_of(today, back=MONTHS - 1)[0]))
    parameters = []
    for days, first in choices:
        chosen = {"first": str(first), "last": str(today)}
        query = {**request.GET.dict(), **chosen}
        query.pop("page", None)
        if not days:
            query["by"] = "month"
        elif query.get("by") == "month":
            del query["by"]
        parameters.append(
            {"days": days, "query": urlencode(query), "is_chosen": shown == chosen}
        )
    return parameters


@register.simple_tag(takes_context=True)
def choice_links(context: Context, field: BoundField) -> list[dict[str, Any]]:
    """A link for each choice of a filter; none for a filter with too many to list."""
    choices = getattr(field.field, "choices", ())
    if len(choices) > MAX_LINKS:
        return []
    query = context["request"].GET.dict()
    query.pop("page", None)
    return [
        {
            "label": label,
            "query": urlencode({**query, field.name: value}),
            "is_chosen": str(field.value() or "") == value,
        }
        for value, label in choices
    ]


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
def provider_label(kind: str) -> str:
    """The name of a way to be paid."""
    return str(label_of(kind))


@register.filter
def as_number(decimal: str) -> str:
    """A decimal number, in the reader's language: 12.500 as 12,5."""
    return number_format(Decimal(plain_text(Decimal(decimal))))
