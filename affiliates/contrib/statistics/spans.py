"""The days that a page of the desk is about, and those before to compare them with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.formats import date_format

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.types import Span
from affiliates.core.days import month_of, span_of

LAST = {"7": 7, "30": 30, "90": 90}
MONTH, LAST_MONTH, YEAR, CUSTOM = "month", "last-month", "year", "custom"
CHOICES = {
    "7": "7 days",
    "30": "30 days",
    "90": "90 days",
    MONTH: "This month",
    LAST_MONTH: "Last month",
    YEAR: "This year",
    CUSTOM: "Choose days",
}
DEFAULT = "30"
MAX_DAYS = 400
# In the address: all brands but test brands, on pages that can show several.
ALL = "all"


def spans_named(name: str, *, today: date) -> tuple[Span, Span]:
    """The days of a choice that needs no dates, and those to compare them with.

    A month or year that goes on is compared with the same days of the one before.
    """
    if name in LAST:
        span = Span.last_days(LAST[name], until=today)
        return span, span.before()
    last_month = Span(*month_of(today, back=1))
    if name == LAST_MONTH:
        return last_month, Span(*month_of(today, back=2))
    if name == MONTH:
        end = min(last_month.first + timedelta(days=today.day - 1), last_month.last)
        return Span(today.replace(day=1), today), Span(last_month.first, end)
    year = today.replace(month=1, day=1)
    # The 29th of February has no like in another year.
    is_leap_day = (today.month, today.day) == (2, 29)
    end = today - timedelta(days=int(is_leap_day))
    before = Span(year.replace(year=year.year - 1), end.replace(year=end.year - 1))
    return Span(year, today), before


class SpanForm(forms.Form):
    """``?brand=1&span=30``, or ``span=custom`` with both days. Nothing is required."""

    brand = forms.TypedChoiceField(required=False, empty_value=None)
    span = forms.ChoiceField(choices=list(CHOICES.items()), required=False)
    # Drawn by the page itself.
    first_day = forms.DateField(label="From", required=False)
    last_day = forms.DateField(label="Until, this day included", required=False)

    def __init__(self, data: Mapping[str, Any], brands: Sequence[Brand] = ()) -> None:
        super().__init__(data)
        by_key = {str(brand.pk): brand for brand in brands}
        field: Any = self.fields["brand"]
        field.choices = [(key, str(value)) for key, value in by_key.items()]
        field.coerce = by_key.__getitem__

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        values["span"] = values.get("span") or DEFAULT
        if values["span"] != CUSTOM:
            return values
        first, last = values.get("first_day"), values.get("last_day")
        if first is None or last is None:
            self.add_error(None, "Choose both days.")
        elif last < first:
            self.add_error("last_day", "The last day is before the first.")
        elif (last - first).days >= MAX_DAYS:
            self.add_error("last_day", f"At most {MAX_DAYS} days.")
        elif first.year < 1901 or last.year > 8999:
            self.add_error("first_day", "Choose a day of this time.")
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Brand and days chosen for a page; the default days if ``form`` has errors."""

    brand: Brand
    brands: Sequence[Brand]
    name: str
    span: Span
    before: Span
    zone: tzinfo
    form: SpanForm
    # What leads back to the page it is chosen on.
    place: Mapping[str, str]
    # All brands but test brands are shown; ``brand`` is the one whose days they are.
    is_all: bool = False
    offers_all: bool = False

    @property
    def shown_brands(self) -> list[Brand]:
        if self.is_all:
            return [brand for brand in self.brands if not brand.is_test]
        return [self.brand]

    @property
    def moments(self) -> tuple[datetime, datetime]:
        """The first of the span, and the one after its last."""
        return span_of(self.span.first, self.span.last, self.zone)

    @property
    def query(self) -> str:
        """Returns the query string of a page of this kind for the same days."""
        return f"{self.place_query}&{self.span_query}"

    @property
    def other_brand_query(self) -> str:
        """Returns the query string for the same page and days of another brand."""
        kept = {name: value for name, value in self.place.items() if name != "brand"}
        return "&".join(filter(None, (urlencode(kept), self.span_query)))

    @property
    def place_query(self) -> str:
        return urlencode(self.place)

    @property
    def span_query(self) -> str:
        asked = {"span": self.name}
        if self.name == CUSTOM:
            asked["first_day"] = self.span.first.isoformat()
            asked["last_day"] = self.span.last.isoformat()
        return urlencode(asked)

    @property
    def choices(self) -> list[tuple[str, str, bool]]:
        """The spans that need no dates: name, words, and whether it is this one."""
        return [
            (name, str(words), name == self.name)
            for name, words in CHOICES.items()
            if name != CUSTOM
        ]

    @property
    def words(self) -> str:
        return span_text(self.span)

    @property
    def before_words(self) -> str:
        return span_text(self.before)


def choose_days(
    form: SpanForm,
    brand: Brand,
    brands: Sequence[Brand],
    place: Mapping[str, str],
    *,
    now: datetime,
    is_all: bool = False,
    offers_all: bool = False,
) -> Chosen:
    """The days asked for, of one of the brands that the page offers."""
    is_valid = form.is_valid()
    values = form.cleaned_data
    zone = brand.zone()
    today = now.astimezone(zone).date()
    name = values["span"] if is_valid else DEFAULT
    if name == CUSTOM:
        span = Span(values["first_day"], values["last_day"])
        spans = span, span.before()
    else:
        spans = spans_named(name, today=today)
    return Chosen(
        brand=brand,
        brands=brands,
        name=name,
        span=spans[0],
        before=spans[1],
        zone=zone,
        form=form,
        place=place,
        is_all=is_all,
        offers_all=offers_all,
    )


def span_text(span: Span) -> str:
    first, last = (date_format(day, "j M Y") for day in (span.first, span.last))
    return first if first == last else f"{first} – {last}"
