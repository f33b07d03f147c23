"""Clients by the month of their signup, and what came of them month by month since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db.models import Count, F, QuerySet, Sum
from django.db.models.functions import TruncMonth
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission, CommissionReversal
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.metrics import Metric
from affiliates.core.days import month_of, start_of
from affiliates.core.money import to_minor
from affiliates.db.routers import from_reports_database
from affiliates.db.sums import from_thousandths, thousandths
from affiliates.referrals.models import ClientReferral
from affiliates.sales.models import Sale, SaleReversal

# What refunds took back of a sale belongs to the month of the sale, as in a day's figures.
_CLIENT = "order_referral__binding"


class Cohort(NamedTuple):
    """The clients who signed up in a month, and the metric's value in each month since.

    ``values[0]`` is of the month of the signup; amounts are in minor units.
    """

    month: date
    clients: int
    values: Sequence[int]

    @property
    def total(self) -> int:
        return sum(self.values)


class _Found(NamedTuple):
    signup: date
    month: date
    value: int


@from_reports_database()
def cohorts(
    brand: Brand, metric: Metric, *, currency: str, count: int, now: datetime
) -> list[Cohort]:
    """The last months, the latest first; amounts of the currency.

    ``metric`` is one of COHORT_METRICS.
    """
    zone = brand.zone()
    today = now.astimezone(zone).date()
    months = [month_of(today, back=age)[0] for age in range(count)]
    first = start_of(months[-1], zone)
    clients = _clients(brand, first)
    values: Counter[tuple[date, int]] = Counter()
    for record in _READERS[metric](brand, first, currency):
        values[record.signup, _age(record.signup, record.month)] += record.value
    return [
        Cohort(
            month,
            clients.get(month, 0),
            [values[month, age] for age in range(_age(month, today) + 1)],
        )
        for month in months
    ]


def _clients(brand: Brand, first: datetime) -> Mapping[date, int]:
    bound = ClientReferral.objects.order_by().filter(
        brand=brand, affiliate__isnull=False, bound_at__gte=first
    )
    by_month = bound.values(signup=_month("bound_at", brand)).annotate(Count("pk"))
    return {
        at.date(): count for at, count in by_month.values_list("signup", "pk__count")
    }


def _net_revenue(brand: Brand, first: datetime, currency: str) -> Iterator[_Found]:
    for rows, sale in (
        (Sale.objects.filter(net_currency=currency), ""),
        (SaleReversal.objects.filter(net_currency=currency), "sale__"),
    ):
        grouped = _grouped(rows, sale, f"{sale}paid_at", brand, first)
        for signup, month, net in _values(
            grouped.annotate(value=Sum(thousandths("net")))
        ):
            yield _Found(
                signup, month, to_minor(Money(from_thousandths(net), currency))
            )


def _commission(brand: Brand, first: datetime, currency: str) -> Iterator[_Found]:
    for model, commission in ((Commission, ""), (CommissionReversal, "commission__")):
        rows: QuerySet[Any] = model.objects.filter(
            **{f"{commission}currency": currency, f"{commission}brand": brand}
        ).exclude(**{f"{commission}status": CommissionStatus.REJECTED})
        sale = f"{commission}sale__"
        moment = f"{commission}earned_at"
        grouped = _grouped(rows, sale, moment, brand, first)
        for signup, month, amount in _values(grouped.annotate(value=Sum("amount"))):
            yield _Found(signup, month, int(amount))


def _active_clients(brand: Brand, first: datetime, currency: str) -> Iterator[_Found]:  # noqa: ARG001 - of all currencies
    rows = Sale.objects.filter(net__gt=0)
    grouped = _grouped(rows, "", "paid_at", brand, first)
    clients = Count("order_referral__client", distinct=True)
    for signup, month, count in _values(grouped.annotate(value=clients)):
        yield _Found(signup, month, count)


COHORT_METRICS = (metrics.NET_REVENUE, metrics.COMMISSION, metrics.ACTIVE_CLIENTS)
_Reader = Callable[[Brand, datetime, str], Iterator[_Found]]
_READERS: Mapping[Metric, _Reader] = dict(
    zip(COHORT_METRICS, (_net_revenue, _commission, _active_clients), strict=True)
)


def _grouped(
    rows: QuerySet[Any], sale: str, moment: str, brand: Brand, first: datetime
) -> QuerySet[Any, Any]:
    """By month of the client's signup and of the moment, of sales since the signup.

    The brand and the first moment are said of every table: else all rows are read.
    """
    bound_at = f"{sale}{_CLIENT}__bound_at"
    found: QuerySet[Any, Any] = (
        rows.order_by()
        .filter(
            **{
                f"{sale}brand": brand,
                f"{sale}paid_at__gte": first,
                f"{sale}order_referral__affiliate__isnull": False,
                f"{sale}{_CLIENT}__brand": brand,
                f"{sale}{_CLIENT}__affiliate__isnull": False,
                f"{bound_at}__gte": first,
            }
        )
        .filter(**{f"{sale}paid_at__gte": F(bound_at)})
        .values(signup=_month(bound_at, brand), month=_month(moment, brand))
    )
    return found


def _values(grouped: QuerySet[Any, Any]) -> Iterator[tuple[date, date, Any]]:
    for signup, month, value in grouped.values_list("signup", "month", "value"):
        yield signup.date(), month.date(), value


def _month(column: str, brand: Brand) -> TruncMonth:
    return TruncMonth(column, tzinfo=brand.zone())


def _age(signup: date, month: date) -> int:
    return (month.year - signup.year) * 12 + month.month - signup.month
