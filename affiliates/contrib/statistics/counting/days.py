"""Counts brands' days from the rows: clicks, signups, orders, sales, commissions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import (
    Count,
    DateField,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Value,
)

from affiliates.contrib.statistics.counting.facts import facts_of
from affiliates.contrib.statistics.counting.rows import DaysOfRows
from affiliates.contrib.statistics.counting.tally import Parts, Tally
from affiliates.contrib.statistics.types import Dimension
from affiliates.db.records import at_once
from affiliates.visits.models import Click

_BY_PEOPLE = Q(bot_signs="")
Tallies = Mapping[int, Mapping[date, Tally]]


def count_days(every: Sequence[DaysOfRows], *, with_clicks: bool = True) -> Tallies:
    """By brand and day. Several take as many queries as one.

    ``every`` has one entry for each brand, all with the same dimensions.
    """
    tallies = {
        days.brand_id: {day: Tally() for day in days.days.days()} for days in every
    }
    if with_clicks:
        _count_clicks(every, tallies)
    facts = list(facts_of(every))
    zones = {days.brand_id: days.zone for days in every}
    origins = _origins(every, {fact.click_id for fact in facts if fact.click_id})
    for fact in facts:
        day = fact.at.astimezone(zones[fact.brand_id]).date()
        tallies[fact.brand_id][day].add(
            fact.affiliate_id,
            fact.figures,
            {
                **origins.get((fact.click_id, fact.affiliate_id), fact.own_parts()),
                Dimension.COUPON: fact.coupon,
            },
            products=fact.by_product(),
            currency=fact.currency,
        )
    return tallies


def _count_clicks(every: Sequence[DaysOfRows], tallies: Tallies) -> None:
    counts = {"clicks_": Count("pk"), "human_": Count("pk", filter=_BY_PEOPLE)}
    each = [day for days in every for day in days.each()]
    for brand_id, day, affiliate_id, *values, clicks, human in at_once(
        _clicks(day).annotate(**counts) for day in each
    ):
        figures = {"clicks": clicks, "human_clicks": human}
        parts = every[0].parts(values)
        tallies[brand_id][day].add(affiliate_id, figures, parts)
    # Asked for by itself, and of no cursor: so the database compares each day at once.
    for brand_id, day, affiliate_id, *values, unique in at_once(map(_firsts, each)):
        parts = every[0].parts(values)
        tallies[brand_id][day].add(affiliate_id, {"unique_clicks": unique}, parts)


def _clicks(day: DaysOfRows) -> QuerySet[Any, Any]:
    its_day = Value(day.days.first, output_field=DateField())
    rows: QuerySet[Any, Any] = day.rows(Click, "created_at").annotate(day_=its_day)
    return rows.values_list("brand_id", "day_", "affiliate_id", *day.columns)


def _firsts(day: DaysOfRows) -> QuerySet[Any, Any]:
    """The first click of each visitor for an affiliate. Without a person, none is known."""
    start, end = day.moments
    earlier = Click.objects.filter(
        _BY_PEOPLE,
        Q(created_at__lt=OuterRef("created_at"))
        | Q(created_at=OuterRef("created_at"), pk__lt=OuterRef("pk")),
        brand_id=day.brand_id,
        created_at__gte=start,
        created_at__lt=end,
        visitor_id=OuterRef("visitor_id"),
        affiliate_id=OuterRef("affiliate_id"),
    )
    clicks = _clicks(day).filter(_BY_PEOPLE, ~Exists(earlier), visitor_id__isnull=False)
    rows: QuerySet[Any, Any] = clicks.annotate(unique_=Count("pk"))
    return rows


def _origins(
    every: Sequence[DaysOfRows], click_ids: Collection[UUID]
) -> Mapping[tuple[UUID | None, int | None], Parts]:
    """The parts of clicks, by the click and its affiliate."""
    if not every or not every[0].columns:
        return {}
    clicks = Click.objects.filter(pk__in=click_ids)
    rows = clicks.values_list("pk", "affiliate_id", *every[0].columns)
    return {(pk, whose): every[0].parts(values) for pk, whose, *values in rows}
