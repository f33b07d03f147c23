"""The paths of all pages of the area, the program, the shop and the desk.

They come from the URL configuration; their keys from rows of the demonstration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.apps import apps
from django.contrib import admin
from django.urls import URLPattern

from affiliates.contrib.area import urls as area
from portal.storefront import urls as shop

PARTS = ("area", "program", "shop", "desk")
KEY = re.compile(r"<(?:\w+:)?(\w+)>")
HEX = re.compile("[0-9a-f]{32}")
UNNAMED = re.compile(r"[^a-z0-9]+")
# Open to everybody; the others need the affiliate.
PROGRAM = frozenset({"program", "apply", "apply/sent", "joined"})
# Answers that are no pages, pages of a single use, and what Django alone draws.
NO_PAGES = re.compile(
    r"logout|sign-out|language$|token|look/end|\.(?:svg|csv|css|js|<)|<str:kind>"
    r"|export/|views/save|delete/$|history/$|autocomplete|jsi18n|<path:object_id>/$"
    r"|<path:url>|^search/$|^r/|password_change|^login/|download/|\(\?i:"
)
# Tables of the affiliate's rows, by the names of their keys in paths.
OWN_ROWS = {
    "order_id": "affiliates_orderreferral",
    "commission_id": "affiliates_commission",
    "link_id": "affiliates_affiliatelink",
    "payout_id": "affiliates_payout",
    "claim_id": "affiliates_claims_missingsaleclaim",
    "email_id": "affiliates_email",
    "key_id": "affiliates_area_affiliatekey",
}
# Queries for the keys that the paths name.
KEYS = {
    **{
        name: f"SELECT max(o.id) FROM {table} o JOIN affiliates_affiliate a"  # noqa: S608 - our own names
        " ON a.id = o.affiliate_id WHERE a.code = 'demo'"
        for name, table in OWN_ROWS.items()
    },
    "invoice_id": "SELECT max(i.id) FROM portal_invoice i JOIN affiliates_affiliate a"
    " ON a.user_id = i.client_id WHERE a.code = 'demo'",
    "currency": "SELECT 'USD'",
    "to": "SELECT 'bank'",
}

Query = Callable[[str], list[tuple[Any, ...]]]


class EveryPage(NamedTuple):
    """``part`` is one of PARTS."""

    part: str
    path: str

    @property
    def visitor(self) -> str:
        """The part whose visitor may open it: an account of the shop needs a login."""
        return "area" if self.path.startswith("/account") else self.part

    @property
    def name(self) -> str:
        plain = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+", "one", self.path)
        return f"{self.part}-{UNNAMED.sub('-', plain).strip('-')}"


def every_page(query: Query) -> Iterator[EveryPage]:
    for route in _routes(area.urlpatterns):
        part = "program" if route in PROGRAM else "area"
        yield from _filled(part, f"/affiliate/{route}", query, KEYS)
    for route in _routes(shop.urlpatterns):
        yield from _filled("shop", f"/{route}", query, KEYS)
    for route in _routes(admin.site.get_urls()):
        yield from _filled("desk", f"/admin/{route}", query, _keys_of_model(route))


def _routes(patterns: Sequence[Any], before: str = "") -> Iterator[str]:
    for one in patterns:
        route = before + str(one.pattern)
        if not isinstance(one, URLPattern):
            yield from _routes(one.url_patterns, route)
        elif not NO_PAGES.search(route) and "(?P" not in route:
            yield route


def _filled(
    part: str, route: str, query: Query, keys: dict[str, str]
) -> Iterator[EveryPage]:
    """Nothing if the demonstration has no row of the kind."""
    found = {}
    for name in KEY.findall(route):
        ((key,),) = query(keys[name]) if name in keys else ((None,),)
        # SQLite keeps those of a UUID without its dashes.
        is_uuid = isinstance(key, str) and HEX.fullmatch(key)
        found[name] = UUID(key) if is_uuid else key
    if None not in found.values():
        yield EveryPage(part, KEY.sub(lambda one: str(found[one[1]]), route))


def _keys_of_model(route: str) -> dict[str, str]:
    app, _, rest = route.partition("/")
    try:
        table = apps.get_model(app, rest.partition("/")[0])._meta.db_table
    except LookupError:
        return {}
    last = f"SELECT max(id) FROM {table}"  # noqa: S608 - our own names
    return dict.fromkeys(KEY.findall(route), last)
