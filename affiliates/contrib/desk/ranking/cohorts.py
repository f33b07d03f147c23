"""Cohorts: clients by month of signup, and what came of them in each month since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from djmoney.money import Money

from affiliates.admin_tools.exports import Row as FileRow
from affiliates.admin_tools.exports import file_answer
from affiliates.brands.models.brand import Brand
from affiliates.contrib.desk.brand_choice.choosing import choose
from affiliates.contrib.desk.figures.numbers import chosen_currency
from affiliates.contrib.statistics import selectors
from affiliates.contrib.statistics.metrics import Kind, Metric
from affiliates.contrib.statistics.reports.cohorts import (
    COHORT_METRICS,
    Cohort,
    cohorts,
)
from affiliates.contrib.statistics.types import Span
from affiliates.core.days import month_of
from affiliates.core.money import from_minor

PAGE = "affiliates/admin/desk/cohorts.html"
MONTHS = {"6": 6, "12": 12}
DEFAULT_MONTHS = "12"
# How strong a cell's ground may be.
LEVELS = 4


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponseBase:
    now = timezone.now()
    context: dict[str, Any] = {**site.each_context(request), "title": "Cohorts"}
    chosen = choose(request, now=now)
    if chosen is None:
        return TemplateResponse(request, PAGE, context)
    named = request.GET.get("months", "")
    months = named if named in MONTHS else DEFAULT_MONTHS
    of = request.GET.get("of", "")
    metric = next(
        (cohort_metric for cohort_metric in COHORT_METRICS if cohort_metric.name == of),
        COHORT_METRICS[0],
    )
    today = now.astimezone(chosen.zone).date()
    first = month_of(today, back=MONTHS[months] - 1)[0]
    whole = selectors.totals(chosen.brand.pk, Span(first, today), now=now)
    currency = chosen_currency(request, whole, whole.currencies)
    rows = cohorts(
        chosen.brand, metric, currency=currency, count=MONTHS[months], now=now
    )
    asked = {
        "brand": str(chosen.brand.pk),
        "of": metric.name,
        "months": months,
        "currency": currency if len(whole.currencies) > 1 else "",
    }
    if request.GET.get("file") == "csv":
        return _file(metric, rows, currency)
    context |= {
        "chosen": chosen,
        "metric": metric,
        "currency": currency if metric.kind is Kind.MONEY else "",
        "choices": _choices(asked, chosen.brands, whole.currencies),
        "ages": range(MONTHS[months]),
        "rows": _shown(metric, rows, currency),
        "is_empty": not any(cohort.clients or cohort.total for cohort in rows),
        "file": _query(asked, file="csv"),
    }
    return TemplateResponse(request, PAGE, context)


def _query(asked: dict[str, str], **changes: str) -> str:
    values = {name: value for name, value in {**asked, **changes}.items() if value}
    return f"?{urlencode(values)}"


def _choices(
    asked: dict[str, str], brands: Sequence[Brand], currencies: Sequence[str]
) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Groups of links; a group of a single one is left out."""
    groups = {
        "brand": [(str(brand.pk), str(brand)) for brand in brands],
        "of": [
            (cohort_metric.name, str(cohort_metric.label))
            for cohort_metric in COHORT_METRICS
        ],
        "months": [(name, f"{name} months") for name in MONTHS],
        "currency": [(code, code) for code in currencies],
    }
    return [
        (
            name.capitalize(),
            [
                (words, _query(asked, **{name: value}), asked[name] == value)
                for value, words in links
            ],
        )
        for name, links in groups.items()
        if len(links) > 1
    ]


def _shown(
    metric: Metric, rows: Sequence[Cohort], currency: str
) -> list[dict[str, Any]]:
    most = max((value for cohort in rows for value in cohort.values), default=0)
    has_total = metric.kind is Kind.MONEY
    return [
        {
            "month": _month_text(cohort.month),
            "clients": cohort.clients,
            "total": _text(metric, cohort.total, currency) if has_total else "",
            "each": _text(metric, round(cohort.total / cohort.clients), currency)
            if has_total and cohort.clients
            else "",
            "cells": [
                # The month that is not over is the last of each row.
                (
                    _cell(metric, value, currency),
                    _text(metric, value, currency),
                    _level(value, most),
                    age == len(cohort.values) - 1,
                )
                for age, value in enumerate(cohort.values)
            ],
        }
        for cohort in rows
    ]


def _text(metric: Metric, value: int, currency: str) -> str:
    if metric.kind is not Kind.MONEY:
        return str(number_format(value, use_l10n=True, force_grouping=True))
    return str(Money(from_minor(value, currency).amount, currency)) if currency else "-"


def _cell(metric: Metric, value: int, currency: str) -> str:
    """Whole units of the currency, so that a year stands on a page."""
    is_money = metric.kind is Kind.MONEY and currency
    whole = round(from_minor(value, currency).amount) if is_money else value
    return str(number_format(whole, use_l10n=True, force_grouping=True))


def _level(value: int, most: int) -> int:
    return 0 if value <= 0 else min(LEVELS, 1 + LEVELS * value // (most + 1))


def _month_text(month: date) -> str:
    return str(date_format(month, "M Y"))


def _file(metric: Metric, rows: Sequence[Cohort], currency: str) -> HttpResponseBase:
    """A line for each cohort and month since."""
    is_money = metric.kind is Kind.MONEY

    def lines() -> Iterator[FileRow]:
        yield [
            "Month of signup",
            "Clients",
            "Months since",
            str(metric.label),
            "Currency",
        ]
        for cohort in rows:
            for age, value in enumerate(cohort.values):
                amount = (
                    from_minor(value, currency).amount
                    if is_money and currency
                    else value
                )
                yield [
                    f"{cohort.month:%Y-%m}",
                    cohort.clients,
                    age,
                    amount,
                    currency if is_money else "",
                ]

    name = f"cohorts-{metric.name}-{rows[0].month:%Y-%m}.csv"
    return file_answer(lines(), name, "csv")
