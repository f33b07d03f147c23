"""Which pages and endpoints the affiliate has: those of the URLconfs, asked for as the
queries of their lists allow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import Count, F
from django.urls import URLPattern
from rest_framework import serializers

from affiliates.brands.models.domain import BrandDomain
from affiliates.contrib.area.api.base import OrderingField
from affiliates.contrib.area.api.books import POSTINGS
from affiliates.contrib.area.api.claims import CLAIMS
from affiliates.contrib.area.api.commissions import COMMISSIONS
from affiliates.contrib.area.api.lists import Listing
from affiliates.contrib.area.api.orders import ORDERS, REFERRALS
from affiliates.contrib.area.api.payouts import PAYOUTS
from affiliates.contrib.area.api.promotion.coupons import COUPONS
from affiliates.contrib.area.api.promotion.creatives import CREATIVES
from affiliates.contrib.area.api.promotion.links import LINKS
from affiliates.contrib.area.api.statistics import BY
from affiliates.contrib.area.api.tools.keys import KEYS
from affiliates.contrib.area.api.urls import urlpatterns as of_api
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.urls import urlpatterns as of_area
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.statements import issue_statement
from affiliates.plans.models.coupon import CouponCode
from affiliates.program.creative_models import Creative
from affiliates.program.models import Affiliate
from benchmarks.desk_table import Groups
from benchmarks.desk_visits import Visitor
from portal.clients.open_sessions import AuthToken
from portal.clients.tokens import AUTH_SCHEME

AREA, API = "/affiliate/", "/api/affiliate/"
LISTINGS: Mapping[str, Listing] = {
    one.name: one
    for one in (
        *(CLAIMS, COMMISSIONS, COUPONS, CREATIVES, KEYS),
        *(LINKS, ORDERS, PAYOUTS, POSTINGS, REFERRALS),
    )
}
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
CHOICES = 10
FILE_ROWS = 200
YEAR = 365
# Of each the seeded program has none: so many are made, and taken back at the end.
MADE = 20


def every_page() -> Iterator[tuple[str, str]]:
    """Each method and URL of the URLconfs."""
    for prefix, patterns in ((AREA, of_area), (API, of_api)):
        for one in patterns:
            for method in _methods(one):
                yield method, f"{prefix}{one.pattern}"


def _methods(one: URLPattern) -> list[str]:
    view: Any = one.callback
    if hasattr(view, "actions"):
        return sorted({name.upper() for name in view.actions} - {"HEAD"})
    if hasattr(view, "view_class"):
        return [
            name for name in ("GET", "POST") if hasattr(view.view_class, name.lower())
        ]
    return ["POST"] if view.__name__ == "choose_language" else ["GET"]


def walk(groups: Groups, only: str, *, orders: int | None) -> None:
    """Every page once for each affiliate; ``only`` those whose URL contains it."""
    with transaction.atomic():
        for affiliate in _affiliates(orders):
            domain = BrandDomain.objects.filter(
                brand=affiliate.brand, is_client_area=True
            )[0]
            _, token = AuthToken.objects.create(affiliate.user)
            visitor = Visitor(
                affiliate.user,
                groups,
                backend="portal.clients.backends.ClientBackend",
                host=domain.host,
                authorization=f"{AUTH_SCHEME} {token}",
            )
            known = _known(affiliate)
            for method, name in every_page():
                if method == "GET" and only in name:
                    _open(visitor, affiliate, name, known)
        transaction.set_rollback(True)


def _affiliates(most: int | None) -> Iterator[Affiliate]:
    """The one with most orders and a middle one of those with any; or of those with at
    most so many the one with most."""
    found = Affiliate.objects.filter(order_referrals__isnull=False)
    ordered = found.annotate(orders=Count("order_referrals")).order_by("-orders", "pk")
    if most is not None:
        yield ordered.filter(orders__lte=most)[0]
        return
    yield ordered[0]
    yield ordered[ordered.count() // 2]


def _known(affiliate: Affiliate) -> dict[str, list[Any]]:
    """What the names in URLs stand for: the newest and the oldest of each."""
    now = datetime.now(UTC)
    for number in range(MADE):
        Creative.objects.create(
            brand=affiliate.brand, name=f"Text {number}", text="Hosting"
        )
        AffiliateKey.objects.create(
            affiliate=affiliate,
            name=f"Tool {number}",
            digest=f"{affiliate.pk:032x}{number:032x}",
            scopes=[Scope.MONEY],
            created_at=now,
            expires_at=now + timedelta(days=90),
        )
        CouponCode.objects.create(
            brand=affiliate.brand,
            affiliate=affiliate,
            code=f"COUPON{affiliate.pk}X{number}",
        )
    payouts = affiliate.payouts.order_by("pk")
    if paid := payouts.filter(status=PayoutStatus.PAID).last():
        issue_statement(paid, now=now)
    return {
        "link_id": _ends(affiliate.links),
        "order_id": _ends(affiliate.order_referrals),
        "commission_id": _ends(affiliate.commissions),
        "payout_id": [paid.pk] if paid else _ends(affiliate.payouts),
        "claim_id": _ends(affiliate.claims),
        "key_id": _ends(affiliate.keys),
        "kind": ["paid"],
        "currency": ["EUR"],
        "to": ["wallet"],
        "token": ["unknown"],
        "stem": ["0" * 32],
        "ending": ["png"],
    }


def _ends(rows: Any) -> list[Any]:
    keys = rows.order_by("pk").values_list("pk", flat=True)
    return list(dict.fromkeys(key for key in (keys.last(), keys.first()) if key))


def _open(
    visitor: Visitor, affiliate: Affiliate, name: str, known: Mapping[str, list[Any]]
) -> None:
    route = name.removeprefix(API).removeprefix(AREA)
    names = ARGUMENT.findall(name)
    if names:
        # All of them have their newest, then all their oldest.
        found = [len(known.get(one, [])) for one in names]
        for place in range(max(found) if all(found) else 0):
            values = {one: known[one][min(place, len(known[one]) - 1)] for one in names}
            url = ARGUMENT.sub(lambda found: str(values[found[1]]), name)  # noqa: B023
            visitor.open(name, "row", _seen_by(affiliate, url))
        return
    visitor.open(
        name, "list" if route in LISTINGS else "other", _seen_by(affiliate, name)
    )
    for kind, query in _queries_of(affiliate, name, route):
        url = f"{name}?{urlencode(query)}"
        if kind != "csv":
            visitor.open(name, kind, _seen_by(affiliate, url))
        elif name.startswith(API):
            visitor.open(name, kind, _seen_by(affiliate, url), accept="text/csv")
        else:
            visitor.open(name, kind, _seen_by(affiliate, f"{url}&file=csv"))


def _seen_by(affiliate: Affiliate, url: str) -> str:
    """What is kept is by URL: each affiliate's answer is another page."""
    return f"{url}#{affiliate.pk}"


def _queries_of(
    affiliate: Affiliate, name: str, route: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    today = datetime.now(UTC).date()
    year = {"first": today - timedelta(days=YEAR - 1), "last": today}
    if route in LISTINGS:
        yield from _queries_of_list(affiliate, LISTINGS[route], year)
    elif route == "statistics":
        for by, _ in BY:
            yield "filter", {**year, "by": by}
            yield "csv", {**year, "by": by}
    elif route == "":
        yield "filter", year
    elif route == "balances" and not name.startswith(API):
        for days in (30, YEAR):
            yield "filter", {"day": today - timedelta(days=days)}


def _queries_of_list(
    affiliate: Affiliate, listing: Listing, year: Mapping[str, date]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for field, one in listing.query().fields.items():
        if isinstance(one, OrderingField):
            for ordering in one.choices:
                yield "sorted", {field: ordering}
        elif isinstance(one, serializers.BooleanField):
            yield "filter", {field: "true"}
            yield "filter", {field: "false"}
        elif isinstance(one, serializers.ChoiceField):
            for choice in list(one.choices)[:CHOICES]:
                yield "filter", {field: choice}
    pages = listing.page(affiliate, {})["pages"]
    if pages > 1:
        yield "page", {"page": 2}
        yield "page", {"page": pages}
    if "first" in listing.query().fields:
        yield "filter", year
    yield "csv", _few(affiliate, listing)


def _few(affiliate: Affiliate, listing: Listing) -> Mapping[str, Any]:
    """From such a day on that there are not many more than so many rows."""
    moments: Iterable[datetime] = [
        moment
        for rows in listing.rows(affiliate, {}).own
        if listing.moment
        for moment in rows.annotate(moment_=F(listing.moment))
        .order_by("-moment_")
        .values_list("moment_", flat=True)[: FILE_ROWS + 1]
    ]
    newest = sorted(moments, reverse=True)[: FILE_ROWS + 1]
    if len(newest) <= FILE_ROWS:
        return {}
    day = newest[-1].astimezone(affiliate.brand.zone()).date()
    return {"first": day + timedelta(days=1)}
