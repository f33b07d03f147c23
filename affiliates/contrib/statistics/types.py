"""Figures, their days, and the dimensions that split them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from operator import add
from typing import NamedTuple, Self
from zoneinfo import ZoneInfo

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from affiliates.core.days import month_of


class Span(NamedTuple):
    """Days of the brand's time zone, the last one included."""

    first: date
    last: date

    @classmethod
    def last_days(cls, count: int, *, until: date) -> Self:
        return cls(until - timedelta(days=count - 1), until)

    def before(self) -> Span:
        """The same number of days, directly before."""
        length = self.last - self.first + timedelta(days=1)
        return Span(self.first - length, self.last - length)

    def days(self) -> Iterator[date]:
        for number in range((self.last - self.first).days + 1):
            yield self.first + timedelta(days=number)


# For a longer span, charts show weeks.
MAX_DAYS_DRAWN = 100


class Step(TextChoices):
    """Weeks begin on Monday."""

    DAY = "day", _("Day")
    WEEK = "week", _("Week")
    MONTH = "month", _("Month")

    @classmethod
    def to_draw(cls, span: Span) -> Step:
        is_long = (span.last - span.first).days >= MAX_DAYS_DRAWN
        return cls.WEEK if is_long else cls.DAY

    def parts_of(self, span: Span) -> list[Span]:
        """The steps that the span is made of: its ends cut the first and the last."""
        steps, first = [], span.first
        while first <= span.last:
            following = self._after(first)
            steps.append(Span(first, min(following - timedelta(days=1), span.last)))
            first = following
        return steps

    def _after(self, day: date) -> date:
        if self is Step.MONTH:
            return month_of(day)[1] + timedelta(days=1)
        length = 1 if self is Step.DAY else 7 - day.weekday()
        return day + timedelta(days=length)


# The parts of links that are none: the affiliate's address with a code, as ?ref=code,
# and orders by a coupon without a click.
ADDRESS_KEY, COUPON_KEY = "address", "coupon:"


class Dimension(TextChoices):
    TOTAL = "total", _("All")
    AFFILIATE = "affiliate", _("Affiliate")
    LINK = "link", _("Link")
    SUB_ID = "sub_id", _("Sub-id")
    REFERRER = "referrer", _("Referring site")
    COUNTRY = "country", _("Country")
    PRODUCT = "product", _("Product")
    COUPON = "coupon", _("Coupon")


OF_AFFILIATES_ALONE = (Dimension.AFFILIATE, Dimension.LINK)


class Figures(NamedTuple):
    """Sums of counts and amounts; amounts are minor units of one currency.

    From ``sales`` on, figures have the currency of the sale; earlier ones have none.
    ``pending`` to ``paid``: remaining amounts of the commissions with this status.
    """

    clicks: int = 0
    human_clicks: int = 0
    unique_clicks: int = 0
    signups: int = 0
    orders: int = 0
    sales: int = 0
    reversals: int = 0
    revenue: int = 0
    reversed_revenue: int = 0
    pending: int = 0
    matured: int = 0
    held: int = 0
    approved: int = 0
    paid: int = 0
    rejected: int = 0
    taken_back: int = 0
    discount: int = 0

    def plus(self, other: Iterable[int]) -> Figures:
        return Figures(*map(add, self, other))


class ClientFigures(NamedTuple):
    """Figures of an affiliate's clients; of the span, with these exceptions.

    ``clients`` and ``lifetime``, minor units of one currency, are of all time;
    ``last_sale`` is the ordinal of the last day with a sale, zero without one.
    """

    active: int = 0
    churned: int = 0
    paid: int = 0
    renewals: int = 0
    clients: int = 0
    lifetime: int = 0
    last_sale: int = 0


CLICK_FIELDS = Figures._fields[:3]
COUNT_FIELDS = Figures._fields[:7]
NOTHING = Figures()
NO_CURRENCY = ""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Figures by currency; under no currency what has none."""

    by_currency: Mapping[str, Figures]

    @property
    def currencies(self) -> list[str]:
        return sorted(code for code in self.by_currency if code != NO_CURRENCY)

    @property
    def counts(self) -> Figures:
        """The counts alone; sales and reversals of all currencies together."""
        figures = self.by_currency.values()
        return self.by_currency.get(NO_CURRENCY, NOTHING)._replace(
            sales=sum(figure.sales for figure in figures),
            reversals=sum(figure.reversals for figure in figures),
        )

    def in_currency(self, currency: str) -> Figures:
        """The counts, with the sales and amounts of this currency."""
        counts = self.by_currency.get(NO_CURRENCY, NOTHING)
        if currency == NO_CURRENCY:
            return counts
        return counts.plus(self.by_currency.get(currency, NOTHING))

    def __add__(self, other: Statistics) -> Statistics:
        return self._combined(other, sign=1)

    def __sub__(self, other: Statistics) -> Statistics:
        return self._combined(other, sign=-1)

    def at_least_nothing(self) -> Statistics:
        """Raises negative values to zero."""
        return Statistics(
            {
                currency: Figures(*(max(number, 0) for number in figures))
                for currency, figures in self.by_currency.items()
            }
        )

    def _combined(self, other: Statistics, *, sign: int) -> Statistics:
        sums = dict(self.by_currency)
        for currency, figures in other.by_currency.items():
            signed = (sign * value for value in figures)
            sums[currency] = sums.get(currency, NOTHING).plus(signed)
        return Statistics(sums)

    def __bool__(self) -> bool:
        return any(any(figures) for figures in self.by_currency.values())


class Point(NamedTuple):
    """A step of a series. ``is_open``: it is not over yet."""

    first: date
    last: date
    statistics: Statistics
    is_open: bool


class Row(NamedTuple):
    """A part of a breakdown: the key is an affiliate's or link's id, or the value itself.

    None is the key of what has no value, and of the rest beyond the values shown.
    """

    key: int | str | None
    label: str
    statistics: Statistics


class CutOff(NamedTuple):
    """The time up to which the numbers are complete.

    From the day ``live_from`` on they are of this moment. Changes of earlier days are
    in as of ``counted_at``, but for ``days_due``; None: nothing has been counted yet.
    """

    zone: ZoneInfo
    live_from: date
    counted_at: datetime | None
    days_due: int


def currency_to_show(
    asked: str, statistics: Statistics, currencies: Sequence[str]
) -> str:
    """Returns ``asked`` if it is one of them, else the currency of most sales."""
    if asked in currencies:
        return asked
    return max(
        currencies, key=lambda code: statistics.in_currency(code).sales, default=""
    )


def sum_of(parts: Iterable[Point | Row]) -> Statistics:
    return total_of(part.statistics for part in parts)


def total_of(parts: Iterable[Statistics]) -> Statistics:
    """All added up at once: a year has hundreds of days."""
    figures: defaultdict[str, list[Figures]] = defaultdict(list)
    for part in parts:
        for currency, of_currency in part.by_currency.items():
            figures[currency].append(of_currency)
    return Statistics(
        {
            code: Figures(*map(sum, zip(*all_, strict=True)))
            for code, all_ in figures.items()
        }
    )


def folded(points: Sequence[Point], step: Step, span: Span) -> Sequence[Point]:
    """The same by longer steps; as they are where there are no more of them."""
    parts = step.parts_of(span)
    if len(parts) >= len(points):
        return points
    ends = [part.last for part in parts]
    by_part = groupby(points, key=lambda point: bisect_left(ends, point.first))
    return [
        Point(*parts[place], sum_of(rows_of_part), rows_of_part[-1].is_open)
        for place, group in by_part
        for rows_of_part in [list(group)]
    ]
