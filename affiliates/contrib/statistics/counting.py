"""Counts a brand's days from the rows: clicks, signups, orders, sales, commissions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import Count, DateField, Exists, OuterRef, Q, QuerySet, Value

from affiliates.contrib.statistics.day_rows import DaysOfRows
from affiliates.contrib.statistics.facts import facts_of
from affiliates.contrib.statistics.tally import Parts, Tally
from affiliates.visits.models import Click

_BY_PEOPLE = Q(bot_signs="")


def count_days(days: DaysOfRows, *, with_clicks: bool = True) -> Mapping[date, Tally]:
    """Several days take as many queries as one."""
    tallies = {day: Tally() for day in days.days.days()}
    if with_clicks:
        _count_clicks(days, tallies)
    facts = list(facts_of(days))
    origins = _origins(days, {fact.click_id for fact in facts if fact.click_id})
    for fact in facts:
        tallies[fact.at.astimezone(days.zone).date()].add(
            fact.affiliate_id,
            fact.figures,
            origins.get((fact.click_id, fact.affiliate_id), {}),
            products=fact.by_product(),
            currency=fact.currency,
        )
    return tallies


def _count_clicks(days: DaysOfRows, tallies: Mapping[date, Tally]) -> None:
    counts = {"clicks_": Count("pk"), "human_": Count("pk", filter=_BY_PEOPLE)}
    every = _at_once(_clicks(day).annotate(**counts) for day in days.each())
    for day, affiliate_id, *values, clicks, human in every:
        figures = {"clicks": clicks, "human_clicks": human}
        tallies[day].add(affiliate_id, figures, days.parts(values))
    # Asked for by itself, and of no cursor: so the database compares each day at once.
    for day, affiliate_id, *values, unique in _at_once(map(_firsts, days.each())):
        tallies[day].add(affiliate_id, {"unique_clicks": unique}, days.parts(values))


def _at_once(found: Iterable[QuerySet[Any, Any]]) -> Iterator[Any]:
    first, *others = found
    return iter(first.union(*others, all=True) if others else first)


def _clicks(day: DaysOfRows) -> QuerySet[Any, Any]:
    its_day = Value(day.days.first, output_field=DateField())
    found: QuerySet[Any, Any] = day.rows(Click, "created_at").annotate(day_=its_day)
    return found.values_list("day_", "affiliate_id", *day.columns)


def _firsts(day: DaysOfRows) -> QuerySet[Any, Any]:
    """The first click of each visitor for an affiliate."""
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
    clicks = _clicks(day).filter(_BY_PEOPLE, ~Exists(earlier))
    found: QuerySet[Any, Any] = clicks.annotate(unique_=Count("pk"))
    return found


def _origins(
    days: DaysOfRows, click_ids: Collection[UUID]
) -> Mapping[tuple[UUID | None, int | None], Parts]:
    """The parts of clicks, by the click and its affiliate."""
    clicks = Click.objects.filter(pk__in=click_ids if days.columns else ())
    rows = clicks.values_list("pk", "affiliate_id", *days.columns)
    return {(pk, whose): days.parts(values) for pk, whose, *values in rows}
