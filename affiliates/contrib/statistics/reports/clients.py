"""Figures of affiliates' clients, read from sales: the rollups do not know clients."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Count, F, Max, Q, QuerySet
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.types import ClientFigures, Span
from affiliates.core.days import span_of
from affiliates.core.money import to_minor
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import DECIMAL_PLACES, Sale, SaleReversal

_NOTHING = ClientFigures()
_Values = Iterator[tuple[int, dict[str, int]]]
_Reader = Callable[["ClientsWanted", Collection[int] | None], _Values]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientsWanted:
    """Request for client figures: the span, the days to compare, and the currency."""

    brand: Brand
    span: Span
    before: Span
    currency: str
    # What has been read of all affiliates stays: no page reads it again for some.
    _of_all: dict[_Reader, dict[int, dict[str, int]]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    @property
    def moments(self) -> tuple[datetime, datetime]:
        return span_of(*self.span, self.brand.zone())

    @property
    def moments_before(self) -> tuple[datetime, datetime]:
        return span_of(*self.before, self.brand.zone())

    def values(
        self, read: _Reader, ids: Collection[int] | None
    ) -> Mapping[int, dict[str, int]]:
        if ids is None and read not in self._of_all:
            self._of_all[read] = dict(read(self, None))
        if (known := self._of_all.get(read)) is None:
            return dict(read(self, ids))
        return known if ids is None else {pk: known[pk] for pk in ids if pk in known}


def client_figures(
    wanted: ClientsWanted,
    *,
    ids: Collection[int] | None = None,
    fields: Collection[str] = ClientFigures._fields,
) -> Mapping[int, ClientFigures]:
    """By affiliate: of these, or of all. Only what the fields need is read."""
    by_client: defaultdict[int, ClientFigures] = defaultdict(lambda: _NOTHING)
    for read, its_fields in _READERS:
        if set(its_fields) & set(fields):
            for pk, values in wanted.values(read, ids).items():
                by_client[pk] = by_client[pk]._replace(**values)
    return by_client


def _activity(wanted: ClientsWanted, ids: Collection[int] | None) -> _Values:
    (start, end), (start_before, end_before) = wanted.moments, wanted.moments_before
    this = Q(paid_at__gte=start, paid_at__lt=end)
    earlier = Q(paid_at__gte=start_before, paid_at__lt=end_before)
    clients = "order_referral__client"
    sums = (
        _of(_sales(wanted), "order_referral__affiliate", ids)
        # The days between the two, if any, are of neither.
        .filter(this | earlier)
        .annotate(
            active=Count(clients, distinct=True, filter=this & Q(net__gt=0)),
            either=Count(clients, distinct=True, filter=Q(net__gt=0)),
            paid=Count("pk", filter=this),
            renewals=Count("pk", filter=this & Q(renewal_number__gt=0)),
        )
    )
    for pk, active, either, paid, renewals in sums.values_list(
        "whose", "active", "either", "paid", "renewals"
    ):
        yield (
            pk,
            {
                "active": active,
                "churned": either - active,
                "paid": paid,
                "renewals": renewals,
            },
        )


def _last_sales(wanted: ClientsWanted, ids: Collection[int] | None) -> _Values:
    sales = _of(_sales(wanted), "order_referral__affiliate", ids)
    zone = wanted.brand.zone()
    for pk, at in sales.annotate(at=Max("paid_at")).values_list("whose", "at"):
        yield pk, {"last_sale": at.astimezone(zone).toordinal()}


def _lifetimes(wanted: ClientsWanted, ids: Collection[int] | None) -> _Values:
    bound = ClientReferral.objects.filter(brand=wanted.brand)
    clients = _of(bound, "affiliate", ids).annotate(count=Count("pk"))
    net = dict(_net_of_clients(wanted, ids))
    for pk, count in clients.values_list("whose", "count"):
        value = to_minor(Money(net[pk], wanted.currency)) if pk in net else 0
        yield pk, {"clients": count, "lifetime": value}


def _net_of_clients(
    wanted: ClientsWanted, ids: Collection[int] | None
) -> Iterator[tuple[int, Decimal]]:
    """By affiliate. The ORM would go through every user, and read all sales twice."""
    own = "IS NOT NULL"
    if ids is not None:
        # No affiliate has this id: the list may not be empty.
        own = f"IN ({', '.join(['0', *map(str, map(int, ids))])})"
    values = (wanted.currency, wanted.brand.pk, wanted.currency)
    with connection.cursor() as cursor:
        cursor.execute(f"{_NET_OF_CLIENTS} {own} GROUP BY bound.affiliate_id", values)
        for pk, net in cursor:
            # SQLite adds up floating points.
            yield pk, Decimal(str(round(net, DECIMAL_PLACES)))


_TABLES = {
    "sale": Sale._meta.db_table,
    "reversal": SaleReversal._meta.db_table,
    "ordered": OrderReferral._meta.db_table,
    "bound": ClientReferral._meta.db_table,
}
_NET_OF_CLIENTS = """
SELECT bound.affiliate_id, SUM(sale.net + COALESCE(taken.net, 0))
FROM {sale} sale
JOIN {ordered} ordered ON ordered.id = sale.order_referral_id
JOIN {bound} bound ON bound.client_id = ordered.client_id
LEFT JOIN (
    SELECT sale_id, SUM(net) AS net FROM {reversal}
    WHERE net_currency = %s GROUP BY sale_id
) taken ON taken.sale_id = sale.id
WHERE sale.brand_id = %s AND sale.net_currency = %s
AND sale.paid_at >= bound.bound_at AND bound.affiliate_id
""".format(**_TABLES)  # noqa: S608 - our own names


def _sales(wanted: ClientsWanted) -> QuerySet[Sale]:
    return Sale.objects.filter(brand=wanted.brand)


def _of(
    rows: QuerySet[Any], affiliate: str, ids: Collection[int] | None
) -> QuerySet[Any, Any]:
    """Grouped by affiliate, ``whose``."""
    own = {f"{affiliate}__isnull": False} if ids is None else {f"{affiliate}__in": ids}
    named = rows.order_by().filter(**own).annotate(whose=F(affiliate))
    found: QuerySet[Any, Any] = named.values("whose")
    return found


_READERS: tuple[tuple[_Reader, tuple[str, ...]], ...] = (
    (_activity, ("active", "churned", "paid", "renewals")),
    (_last_sales, ("last_sale",)),
    (_lifetimes, ("clients", "lifetime")),
)
