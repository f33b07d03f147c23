"""Ranks affiliates, links, coupons and other parts of a brand by any metric, in any span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone

from affiliates.admin_tools.exports import Row as FileRow
from affiliates.admin_tools.exports import file_answer
from affiliates.contrib.desk.brand_choice.choosing import choose
from affiliates.contrib.desk.figures.numbers import chosen_currency, cut_off
from affiliates.contrib.desk.ranking.asked import (
    Only,
    RankingAsked,
    choices,
    heading,
    query,
)
from affiliates.contrib.desk.ranking.columns import every_column
from affiliates.contrib.desk.ranking.rows import name_parts
from affiliates.contrib.statistics import selectors
from affiliates.contrib.statistics.drawing import figures_of, text_of
from affiliates.contrib.statistics.metrics import CLIENT_METRICS, Kind, Metric
from affiliates.contrib.statistics.naming import rest_name
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.reports.clients import ClientsWanted
from affiliates.contrib.statistics.reports.ranking import (
    Ranked,
    RankingWanted,
    fill,
    never_started,
    rank,
    rest_of,
    went_quiet,
)
from affiliates.contrib.statistics.spans import Chosen
from affiliates.contrib.statistics.types import Statistics
from affiliates.core.money import from_minor
from affiliates.core.spreadsheets import neutral_text

PAGE = "affiliates/admin/desk/ranking.html"
ROWS_ON_A_PAGE = 50


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponseBase:
    now = timezone.now()
    context: dict[str, Any] = {**site.each_context(request), "title": "Ranking"}
    asked = RankingAsked.read(request)
    chosen = choose(request, now=now)
    if chosen is None:
        return TemplateResponse(request, PAGE, context)
    open_days = OpenDays(asked.dimension, now=now, brands=[chosen.brand])
    span = chosen.before if asked.only is Only.QUIET else chosen.span
    whole = selectors.totals(chosen.brand.pk, span, now=now, open_days=open_days)
    currency = chosen_currency(request, whole, whole.currencies)
    place = {**chosen.place, **asked.address}
    if currency and len(whole.currencies) > 1:
        place["currency"] = currency
    chosen = replace(chosen, place=place)
    wanted = _wanted(asked, chosen, currency)
    wanted, keys = _keys(asked, wanted, open_days)
    is_whole = asked.only is Only.EVERY
    rest = rest_of(wanted, whole, open_days=open_days) if is_whole else None
    if request.GET.get("file") == "csv":
        columns = every_column(asked.dimension)
        filled = fill(wanted, keys, columns, open_days=open_days)
        return _file(chosen, asked, filled, rest, currency)
    page = Paginator(keys, ROWS_ON_A_PAGE).get_page(request.GET.get("p"))
    rows = fill(wanted, list(page), asked.columns, open_days=open_days)
    context |= {
        "chosen": chosen,
        "asked": asked,
        "page": page,
        "count": len(keys),
        "rows": list(_shown(chosen, asked, rows, currency, page.start_index())),
        "note": _note(asked, chosen),
        **(_sums(asked, rest, whole, currency) if is_whole else {}),
        "currency": currency,
        "choices": choices(chosen, asked, whole.currencies, currency),
        "columns": [heading(chosen, asked, column) for column in asked.columns],
        "file": query(chosen, file="csv"),
        "cut_off": cut_off(chosen, open_days),
    }
    return TemplateResponse(request, PAGE, context)


def _keys(
    asked: RankingAsked, wanted: RankingWanted, open_days: OpenDays
) -> tuple[RankingWanted, list[Any]]:
    """The keys in their order, and of which days their numbers are."""
    if asked.only is Only.NEVER:
        return wanted, never_started(wanted.clients.brand, open_days)
    if asked.only is Only.EVERY:
        return wanted, rank(wanted, open_days=open_days)
    quiet = went_quiet(wanted, open_days=open_days)
    of = wanted.clients
    then = replace(
        wanted, clients=replace(of, span=of.before, before=of.before.before())
    )
    return then, [key for key in rank(then, open_days=open_days) if key in quiet]


def _note(asked: RankingAsked, chosen: Chosen) -> str:
    """Explains which parts the filter selects; empty if it selects all."""
    return {
        Only.EVERY: "",
        Only.QUIET: f"A human click or an order on {chosen.before_words}, and neither "
        f"on {chosen.words}. Numbers are of the days before.",
        Only.NEVER: "Active affiliates without a single human click or order ever, "
        "the latest first.",
    }[asked.only]


def _wanted(asked: RankingAsked, chosen: Chosen, currency: str) -> RankingWanted:
    return RankingWanted(
        clients=ClientsWanted(
            brand=chosen.brand,
            span=chosen.span,
            before=chosen.before,
            currency=currency,
        ),
        dimension=asked.dimension,
        metric=asked.metric,
        is_descending=asked.is_descending,
    )


def _shown(
    chosen: Chosen,
    asked: RankingAsked,
    rows: Sequence[Ranked],
    currency: str,
    first: int,
) -> Iterator[dict[str, Any]]:
    names = name_parts(asked.dimension, [row.key for row in rows], chosen)
    for number, row in enumerate(rows, start=first):
        yield {
            "number": number,
            "named": names.get(row.key),
            "key": row.key,
            "values": [
                (
                    column.label,
                    column.text(row.figures(column, currency), currency),
                    column is asked.metric,
                )
                for column in asked.columns
            ],
        }


def _sums(
    asked: RankingAsked, rest: Statistics | None, whole: Statistics, currency: str
) -> dict[str, Any]:
    """The last lines of the whole ranking: what is in no part, and the brand."""
    return {
        "rest": _line(asked, rest, currency) if rest else [],
        "rest_name": rest_name(asked.dimension),
        "whole": _line(asked, whole, currency),
        "has_more_currencies": len(whole.currencies) > 1,
    }


def _line(
    asked: RankingAsked, statistics: Statistics, currency: str
) -> list[tuple[object, str]]:
    """The numbers. What is read of clients is of affiliates alone."""
    return [
        (
            column.label,
            "" if column in CLIENT_METRICS else text_of(column, statistics, currency),
        )
        for column in asked.columns
    ]


def _file(
    chosen: Chosen,
    asked: RankingAsked,
    rows: Sequence[Ranked],
    rest: Statistics | None,
    currency: str,
) -> HttpResponseBase:
    """Every part with every metric, in the order of the page, and the rest."""
    names = name_parts(asked.dimension, [row.key for row in rows], chosen)
    columns = every_column(asked.dimension)

    def lines() -> Iterator[FileRow]:
        labels = [str(column.label) for column in columns]
        yield [str(asked.dimension.label), "Name", "Currency", *labels]
        for row in rows:
            named = names.get(row.key)
            name, detail = (named.name, named.detail) if named else (str(row.key), "")
            values = [
                _cell(column, row.figures(column, currency), currency)
                for column in columns
            ]
            yield [neutral_text(name), neutral_text(detail), currency, *values]
        if rest:
            values = [
                None
                if column in CLIENT_METRICS
                else _cell(column, figures_of(column, rest, currency), currency)
                for column in columns
            ]
            yield [rest_name(asked.dimension), "", currency, *values]

    days = f"{chosen.span.first.isoformat()}-{chosen.span.last.isoformat()}"
    name = f"ranking-{asked.dimension.value}-{days}.csv"
    return file_answer(lines(), name, "csv")


def _cell(metric: Metric, figures: Any, currency: str) -> Any:
    value = metric.of(figures)
    if value is None or (metric.kind is Kind.MONEY and not currency):
        return None
    if metric.kind is Kind.MONEY:
        return from_minor(round(value), currency).amount
    if metric.kind is Kind.DAY:
        return date.fromordinal(int(value))
    return round(value, 2) if isinstance(value, Decimal) else value
