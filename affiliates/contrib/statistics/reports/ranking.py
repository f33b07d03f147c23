"""Parts of a brand's numbers in the order of any metric."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.drawing import figures_of
from affiliates.contrib.statistics.metrics import CLIENT_METRICS, Metric
from affiliates.contrib.statistics.models import DailyFigures
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.reading import Reading, as_statistics, read
from affiliates.contrib.statistics.reports.clients import ClientsWanted, client_figures
from affiliates.contrib.statistics.types import (
    NO_CURRENCY,
    ClientFigures,
    Dimension,
    Figures,
    Span,
    Statistics,
)
from affiliates.db.routers import from_reports_database
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus

# More keys than this are not listed in a query: it reads every part.
MAX_NAMED = 1_000
RANKED_BY = (
    Dimension.AFFILIATE,
    Dimension.LINK,
    Dimension.COUPON,
    Dimension.SUB_ID,
    Dimension.REFERRER,
    Dimension.COUNTRY,
    Dimension.PRODUCT,
)
_SIGNS_OF_LIFE = ("human_clicks", "orders")
_NOTHING = Statistics({})
_NO_CLIENTS = ClientFigures()


class Ranked(NamedTuple):
    """``key``: an affiliate's id, a link's id as text, else the value itself."""

    key: Any
    statistics: Statistics
    clients: ClientFigures

    def figures(self, metric: Metric, currency: str) -> Figures | ClientFigures:
        if metric in CLIENT_METRICS:
            return self.clients
        return figures_of(metric, self.statistics, currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingWanted:
    clients: ClientsWanted
    dimension: Dimension
    metric: Metric
    is_descending: bool = True


@from_reports_database()
def rank(wanted: RankingWanted, *, open_days: OpenDays) -> list[Any]:
    """The keys of all parts with anything in the span; those without a value come last.

    Reads only what the metric is made of: `fill` adds the rest to the keys shown.
    """
    metric, of = wanted.metric, wanted.clients
    values: dict[Any, int | Decimal | None]
    if metric in CLIENT_METRICS:
        # The parts are needed, not their sums: any field will do.
        parts = _reading(wanted, open_days).by_every_part(Figures._fields[:1], None)
        clients = client_figures(of, fields=metric.fields)
        values = {key: metric.of(clients[key]) for key in parts}
    else:
        # As `figures_of`.
        is_of_one = metric.has_amounts and of.currency
        currencies = (NO_CURRENCY, of.currency) if is_of_one else None
        fields = tuple(dict.fromkeys(metric.fields))
        parts = _reading(wanted, open_days).by_every_part(fields, currencies)
        values = {key: metric.of(figures) for key, figures in parts.items()}
    sign = -1 if wanted.is_descending else 1
    return sorted(values, key=lambda key: _place(values[key], sign, key))


@from_reports_database()
def went_quiet(wanted: RankingWanted, *, open_days: OpenDays) -> set[Any]:
    """The parts with a human click or an order on the days before, and none on these."""
    before, of = wanted.clients.before, wanted.clients
    earlier = replace(wanted, clients=replace(of, span=before))
    return _busy(earlier, open_days) - _busy(wanted, open_days)


@from_reports_database()
def never_started(brand: Brand, open_days: OpenDays) -> list[int]:
    """The ids of active affiliates without a human click or order ever, latest first."""
    busy = Q(human_clicks__gt=0) | Q(orders__gt=0)
    counted = DailyFigures.objects.filter(
        busy, affiliate=OuterRef("pk"), dimension=Dimension.AFFILIATE
    )
    affiliates = Affiliate.objects.filter(
        ~Exists(counted), brand=brand, status=AffiliateStatus.ACTIVE
    )
    ever = Span(date.min, date.max)
    live = {
        cell.affiliate_id
        for _, cell, figures in open_days.cells(brand, ever, Dimension.AFFILIATE, None)
        if figures.human_clicks or figures.orders
    }
    ids = affiliates.order_by("-pk").values_list("pk", flat=True)
    return [pk for pk in ids if pk not in live]


@from_reports_database()
def fill(
    wanted: RankingWanted,
    keys: Sequence[Any],
    metrics: Collection[Metric],
    *,
    open_days: OpenDays,
) -> list[Ranked]:
    """Returns the data that these metrics need, in the order of the keys."""
    only = keys if len(keys) <= MAX_NAMED else None
    by_part: Mapping[Any, Statistics] = {}
    if not set(metrics) <= set(CLIENT_METRICS):
        by_part = as_statistics(_reading(wanted, open_days).by_part(only=only))
    clients: Mapping[Any, ClientFigures] = {}
    if not set(metrics).isdisjoint(CLIENT_METRICS):
        clients = client_figures(wanted.clients, ids=only)
    return [
        Ranked(key, by_part.get(key, _NOTHING), clients.get(key, _NO_CLIENTS))
        for key in keys
    ]


@from_reports_database()
def figures_of_affiliates(
    span: Span,
    fields: Collection[str],
    currency: str,
    *,
    open_days: OpenDays,
    ids: Collection[int] | None = None,
) -> Mapping[int, Figures]:
    """Returns these fields of affiliates of all brands: of some, or of all of them."""
    reading = read(None, span, ids, Dimension.AFFILIATE, open_days=open_days)
    return reading.by_every_part(tuple(dict.fromkeys(fields)), (NO_CURRENCY, currency))


@from_reports_database()
def rest_of(
    wanted: RankingWanted, whole: Statistics, *, open_days: OpenDays
) -> Statistics:
    """Returns what is in none of the parts, so that they add up to the whole.

    A sale of several products counts once for each.
    """
    parts = as_statistics(_reading(wanted, open_days).by_nothing())[None]
    rest = whole - parts
    is_split = wanted.dimension is not Dimension.PRODUCT
    return rest if is_split else rest.at_least_nothing()


def _busy(wanted: RankingWanted, open_days: OpenDays) -> set[Any]:
    parts = _reading(wanted, open_days).by_every_part(_SIGNS_OF_LIFE, None)
    return {key for key, part in parts.items() if part.human_clicks or part.orders}


def _reading(wanted: RankingWanted, open_days: OpenDays) -> Reading:
    of = wanted.clients
    whole = read(of.brand.pk, of.span, None, wanted.dimension, open_days=open_days)
    return whole.of_links()


def _place(value: int | Decimal | None, sign: int, key: Any) -> tuple[Any, ...]:
    return value is None, sign * (value or 0), str(key)
