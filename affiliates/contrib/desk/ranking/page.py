"""Ranks affiliates, links, coupons and other parts of a brand by any metric, in any span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from affiliates.admin_tools.exports import Row as FileRow
from affiliates.admin_tools.exports import csv_lines
from affiliates.admin_tools.visible import visible_to
from affiliates.brands.models.brand import Brand
from affiliates.contrib.desk.figures.numbers import chosen_currency, cut_off
from affiliates.contrib.desk.ranking.columns import choose_set, every_column, sets_of
from affiliates.contrib.desk.ranking.rows import name_parts
from affiliates.contrib.statistics import selectors
from affiliates.contrib.statistics.clients.figures import ClientsWanted
from affiliates.contrib.statistics.drawing import text_of
from affiliates.contrib.statistics.metrics import CLIENT_METRICS, Kind, Metric
from affiliates.contrib.statistics.ranking import (
    RANKED_BY,
    Ranked,
    RankingWanted,
    fill,
    rank,
)
from affiliates.contrib.statistics.reading import OpenDays
from affiliates.contrib.statistics.spans import Chosen, choose
from affiliates.contrib.statistics.types import Dimension, Statistics
from affiliates.core.money import from_minor
from affiliates.core.spreadsheets import neutral_text

PAGE = "affiliates/admin/desk/ranking.html"
ROWS_ON_A_PAGE = 50
ASCENDING = "asc"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingAsked:
    """The ranking an address asks for; what it names wrongly is the default."""

    dimension: Dimension
    column_set: str
    metric: Metric
    is_descending: bool

    @classmethod
    def read(cls, request: HttpRequest) -> RankingAsked:
        by = request.GET.get("by", "")
        dimension = next((one for one in RANKED_BY if one == by), RANKED_BY[0])
        column_set = choose_set(dimension, request.GET.get("columns", ""))
        columns = sets_of(dimension)[column_set].metrics
        named = request.GET.get("sort", "")
        return cls(
            dimension=dimension,
            column_set=column_set,
            metric=next((one for one in columns if one.name == named), columns[0]),
            is_descending=request.GET.get("order") != ASCENDING,
        )

    @property
    def columns(self) -> Sequence[Metric]:
        return sets_of(self.dimension)[self.column_set].metrics

    @property
    def address(self) -> dict[str, str]:
        order = {} if self.is_descending else {"order": ASCENDING}
        return {
            "by": self.dimension.value,
            "columns": self.column_set,
            "sort": self.metric.name,
            **order,
        }


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponseBase:
    context: dict[str, Any] = {**site.each_context(request), "title": "Ranking"}
    asked = RankingAsked.read(request)
    brands = visible_to(request.user, Brand.objects.all())
    chosen = choose(request.GET, brands, now=timezone.now())
    if chosen is None:
        return TemplateResponse(request, PAGE, context)
    open_days = OpenDays(asked.dimension, now=timezone.now(), brand=chosen.brand)
    whole = selectors.totals(
        chosen.brand.pk, chosen.span, now=open_days.now, open_days=open_days
    )
    currency = chosen_currency(request, whole, whole.currencies)
    place = {**chosen.place, **asked.address}
    if currency and len(whole.currencies) > 1:
        place["currency"] = currency
    chosen = replace(chosen, place=place)
    wanted = _wanted(asked, chosen, currency)
    keys = rank(wanted, open_days=open_days)
    if request.GET.get("file") == "csv":
        columns = every_column(asked.dimension)
        found = fill(wanted, keys, columns, open_days=open_days)
        return _file(chosen, asked, found, currency)
    page = Paginator(keys, ROWS_ON_A_PAGE).get_page(request.GET.get("p"))
    rows = fill(wanted, list(page), asked.columns, open_days=open_days)
    context |= {
        "chosen": chosen,
        "asked": asked,
        "page": page,
        "count": len(keys),
        "rows": list(_shown(chosen, asked, rows, currency, page.start_index())),
        "whole": _whole(asked, whole, currency),
        "currency": currency,
        "choices": _choices(chosen, asked, whole.currencies, currency),
        "columns": [_heading(chosen, asked, one) for one in asked.columns],
        "file": _query(chosen, file="csv"),
        "cut_off": cut_off(chosen, open_days),
    }
    return TemplateResponse(request, PAGE, context)


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


def _query(chosen: Chosen, **changes: str) -> str:
    """The address of this page with something changed; a new page begins at its first."""
    asked = {**chosen.place, **changes}
    kept = {name: value for name, value in asked.items() if value}
    return f"?{urlencode(kept)}&{chosen.span_query}"


def _choices(
    chosen: Chosen, asked: RankingAsked, currencies: Sequence[str], currency: str
) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Groups of links: of what, which columns, in which currency."""
    found = [
        (
            "Rank",
            [
                (
                    str(one.label),
                    _query(chosen, by=one.value, sort="", order=""),
                    one is asked.dimension,
                )
                for one in RANKED_BY
            ],
        ),
        (
            "Columns",
            [
                (
                    one.title,
                    _query(chosen, columns=name, sort="", order=""),
                    name == asked.column_set,
                )
                for name, one in sets_of(asked.dimension).items()
            ],
        ),
    ]
    if len(currencies) > 1:
        codes = [
            (code, _query(chosen, currency=code), code == currency)
            for code in currencies
        ]
        found.append(("Currency", codes))
    return found


def _heading(chosen: Chosen, asked: RankingAsked, metric: Metric) -> dict[str, Any]:
    """``sorted`` is for aria-sort; the link sorts by it, or turns the order round."""
    is_chosen = metric is asked.metric
    turned = ASCENDING if is_chosen and asked.is_descending else ""
    direction = "descending" if asked.is_descending else "ascending"
    return {
        "label": metric.label,
        "definition": metric.definition,
        "path": _query(chosen, sort=metric.name, order=turned),
        "sorted": direction if is_chosen else "",
    }


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
                (one.text(row.figures(one, currency), currency), one is asked.metric)
                for one in asked.columns
            ],
        }


def _whole(asked: RankingAsked, whole: Statistics, currency: str) -> list[str]:
    """The brand's numbers. What is read of clients is of affiliates alone."""
    return [
        "" if one in CLIENT_METRICS else text_of(one, whole, currency)
        for one in asked.columns
    ]


def _file(
    chosen: Chosen, asked: RankingAsked, rows: Sequence[Ranked], currency: str
) -> HttpResponseBase:
    """Every part with every metric, in the order of the page."""
    names = name_parts(asked.dimension, [row.key for row in rows], chosen)
    columns = every_column(asked.dimension)

    def lines() -> Iterator[FileRow]:
        labels = [str(one.label) for one in columns]
        yield [str(asked.dimension.label), "Name", "Currency", *labels]
        for row in rows:
            named = names.get(row.key)
            name, detail = (named.name, named.detail) if named else (str(row.key), "")
            values = [_cell(one, row, currency) for one in columns]
            yield [neutral_text(name), neutral_text(detail), currency, *values]

    days = f"{chosen.span.first.isoformat()}-{chosen.span.last.isoformat()}"
    name = f"ranking-{asked.dimension.value}-{days}.csv"
    return StreamingHttpResponse(
        csv_lines(lines()),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _cell(metric: Metric, row: Ranked, currency: str) -> Any:
    value = metric.of(row.figures(metric, currency))
    if value is None or (metric.kind is Kind.MONEY and not currency):
        return None
    if metric.kind is Kind.MONEY:
        return from_minor(round(value), currency).amount
    if metric.kind is Kind.DAY:
        return date.fromordinal(int(value))
    return round(value, 2) if isinstance(value, Decimal) else value
