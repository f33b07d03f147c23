"""The orders that an affiliate may read about."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, QuerySet, Value, When

from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral, OrderCandidate, OrderReferral


def orders_of_affiliate(affiliate: Affiliate) -> list[QuerySet[Any]]:
    """The orders credited to the affiliate; and of the others those it took part in, those
    of clients bound to it, and those that answered a claim of it, which an order may all be.
    ``is_credited``: to it.

    Apart, because each has an index of its own, and all of them together have none.
    """
    clients = ClientReferral.objects.filter(affiliate=affiliate).order_by()
    claims = MissingSaleClaim.objects.filter(
        affiliate=affiliate, referral__isnull=False
    ).order_by()
    candidates = OrderCandidate.objects.filter(affiliate=affiliate).order_by()
    orders = OrderReferral.objects.order_by()
    others = orders.exclude(affiliate=affiliate).annotate(is_credited=Value(False))
    return [
        orders.filter(affiliate=affiliate).annotate(is_credited=Value(True)),
        others.filter(pk__in=candidates.values("referral")),
        others.filter(client__in=clients.values("client")),
        others.filter(pk__in=claims.values("referral")),
    ]


def with_credit(orders: QuerySet[OrderReferral], affiliate: Affiliate) -> QuerySet[Any]:
    """Each with ``is_credited``: to this affiliate."""
    is_credited = Case(When(affiliate=affiliate, then=True), default=False)
    return orders.annotate(is_credited=is_credited)
