"""What affiliates' clients did, read from the sales: the rollups do not know clients."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.types import ClientFigures, Span
from affiliates.core.days import span_of
from affiliates.core.money import to_minor
from affiliates.referrals.models import ClientReferral
from affiliates.sales.models import Sale, SaleReversal

_NOTHING = ClientFigures()
_Values = Iterator[tuple[int, dict[str, int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientsWanted:
    """Of which sales: the span, the days to compare it with, and the currency of amounts."""

    brand: Brand
    span: Span
    before: Span
    currency: str

    @property
    def moments(self) -> tuple[datetime, datetime]:
        return span_of(*self.span, self.brand.zone())

    @property
    def moments_before(self) -> tuple[datetime, datetime]:
        return span_of(*self.before, self.brand.zone())


def client_figures(
    wanted: ClientsWanted,
    *,
    ids: Collection[int] | None = None,
    fields: Collection[str] = ClientFigures._fields,
) -> Mapping[int, ClientFigures]:
    """By affiliate: of these, or of all. Only what the fields need is read."""
    found: defaultdict[int, ClientFigures] = defaultdict(lambda: _NOTHING)
    for read, its_fields in _READERS:
        if set(its_fields) & set(fields):
            for pk, values in read(wanted, ids):
                found[pk] = found[pk]._replace(**values)
    return found


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
    counts = dict(clients.values_list("whose", "count"))
    client = "order_referral__client__client_referral"
    sales = _sales(wanted).filter(paid_at__gte=F(f"{client}__bound_at"))
    reversals = SaleReversal.objects.filter(
        sale__brand=wanted.brand,
        sale__paid_at__gte=F(f"sale__{client}__bound_at"),
    )
    net: defaultdict[int, Decimal] = defaultdict(Decimal)
    for rows, path in (
        (sales, f"{client}__affiliate"),
        (reversals, f"sale__{client}__affiliate"),
    ):
        of_currency = _of(rows.filter(net_currency=wanted.currency), path, ids)
        for pk, value in of_currency.annotate(of=Sum("net")).values_list("whose", "of"):
            net[pk] += value
    for pk, count in counts.items():
        value = to_minor(Money(net[pk], wanted.currency)) if pk in net else 0
        yield pk, {"clients": count, "lifetime": value}


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


_READERS: tuple[
    tuple[Callable[[ClientsWanted, Collection[int] | None], _Values], tuple[str, ...]],
    ...,
] = (
    (_activity, ("active", "churned", "paid", "renewals")),
    (_last_sales, ("last_sale",)),
    (_lifetimes, ("clients", "lifetime")),
)
