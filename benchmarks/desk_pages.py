"""Which pages of the admin there are: found by its own lists and URLs."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urlencode

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model
from django.urls import URLPattern, reverse

from affiliates.ledger.admin import AffiliateFilter
from affiliates.program.models import Affiliate
from benchmarks.desk_visits import Visitor

INDEX = "First page"
SPANS = ("7", "30", "90", "month", "last-month", "year")
ROWS = 3
EVERYTHING = "Search of everything"
NAMES = (
    ("portal.Invoice", "number"),
    ("portal.User", "email"),
    ("affiliates.OrderReferral", "order_ref"),
    ("affiliates.InvoicePayment", "payment_ref"),
    ("affiliates.Affiliate", "code"),
    ("affiliates.AffiliateLink", "hash"),
    ("affiliates.Click", "pk"),
    ("affiliates.Payout", "pk"),
)
CHOICES = 10
SEARCHED_COLUMNS = (
    "code",
    "order_ref",
    "invoice_ref",
    "number",
    "email",
    "name",
    "key",
)
WORDS = ("ada", "example.com", "INV-000777", "nobody-has-this", "0197c0de")
# Of what several pages link to, such as a section of an affiliate's page.
LINK = re.compile(r'href="((?:/[^"?]*)?\?[^"]+)"')
NOT_FOLLOWED = ("_changelist_filters=", "_popup=", "next=", "/add/", "/export")
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
# They change something, or need more than a row.
SKIPPED = ("delete", "password", "jsi18n", "autocomplete", "logout", "view_on_site")


def walk(visitor: Visitor, only: str) -> None:
    """Every page once; ``only`` those of models whose name contains it."""
    walker = _Walker(visitor)
    if not only:
        for span in SPANS:
            walker.open(INDEX, "other", f"{reverse('admin:index')}?span={span}")
        for text in [*_names(), *WORDS]:
            page = (
                f"{reverse('admin:affiliates_brand_search')}?{urlencode({'q': text})}"
            )
            walker.open_list(EVERYTHING, "search", page)
    for model, site in sorted(
        admin.site._registry.items(), key=lambda one: one[0]._meta.model_name or ""
    ):
        name = str(model._meta.verbose_name_plural).capitalize()
        if only.lower() in name.lower():
            _walk_lists(walker, name, model, site)
            _walk_rows(walker, name, model, site)


def _names() -> Iterator[str]:
    """What somebody may know of a row, of the newest of each kind."""
    for label, field in NAMES:
        for row in _some_rows(apps.get_model(label), 1):
            yield str(getattr(row, field))


class _Walker:
    """Opens a page, and what it links to by a query that has not been opened yet."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._seen: set[str] = set()

    def open_list(self, name: str, kind: str, url: str) -> Any:
        self._seen.add(url)
        return self._visitor.open(name, kind, url)

    def open(self, name: str, kind: str, url: str) -> None:
        answer = self.open_list(name, kind, url)
        here = url.partition("?")[0]
        for link in LINK.findall(getattr(answer, "text", "")):
            found = unescape(link).partition("#")[0]
            found = here + found if found.startswith("?") else found
            if found in self._seen or any(one in found for one in NOT_FOLLOWED):
                continue
            self.open_list(name, "linked", found)


def _walk_lists(walker: _Walker, name: str, model: type[Model], page: Any) -> None:
    url = reverse(_name_of(model, "changelist"))
    answer = walker.open_list(name, "list", url)
    shown = (getattr(answer, "context_data", None) or {}).get("cl")
    if not shown:
        return
    for kind, query in _queries_of(shown, model, page):
        walker.open_list(name, kind, f"{url}?{query}")


def _queries_of(
    shown: ChangeList, model: type[Model], page: Any
) -> Iterator[tuple[str, str]]:
    for spec in shown.filter_specs:
        if isinstance(spec, AffiliateFilter):
            # The first affiliates have most.
            chosen = Affiliate.objects.order_by("pk").values_list("pk", flat=True)[0]
            yield "filter", urlencode({spec.parameter_name: chosen})
        for choice in list(spec.choices(shown))[1 : CHOICES + 1]:
            if query := str(choice.get("query_string", "")).lstrip("?"):
                yield "filter", query
    if shown.search_fields:
        for text in _searched(model):
            yield "search", urlencode({"q": text})
    for position, column in enumerate(shown.list_display):
        if shown.get_ordering_field(column):
            yield "sorted", urlencode({"o": position})
            yield "sorted", urlencode({"o": f"-{position}"})
    if shown.multi_page:
        yield "page", urlencode({"p": 2})
        yield "page", urlencode({"p": shown.paginator.num_pages})


def _searched(model: type[Model]) -> Iterator[str]:
    """What somebody would look for: a row's own texts, and words."""
    row = _some_rows(model, 1)
    for column in SEARCHED_COLUMNS:
        if row and (text := str(getattr(row[0], column, "") or "")):
            yield text[:100]
    yield from WORDS


def _walk_rows(walker: _Walker, name: str, model: type[Model], page: Any) -> None:
    rows = _some_rows(model, ROWS)
    for pattern in page.get_urls():
        if not isinstance(pattern, URLPattern) or not pattern.name:
            continue
        last = pattern.name.removeprefix(f"{model._meta.app_label}_").removeprefix(
            f"{model._meta.model_name}_"
        )
        names = ARGUMENT.findall(str(pattern.pattern))
        if last == "changelist" or any(one in last for one in SKIPPED):
            continue
        if not names:
            walker.open(name, "other", reverse(f"admin:{pattern.name}"))
        elif len(names) == 1:
            for row in rows:
                address = reverse(f"admin:{pattern.name}", args=[row.pk])
                walker.open(name, "row", address)


def _some_rows(model: type[Model], count: int) -> list[Any]:
    """The newest, the oldest and one between, by key: quick in any table."""
    rows = model._default_manager.order_by("-pk")
    newest, oldest = rows.first(), rows.last()
    found = [newest, oldest]
    if newest is not None and oldest is not None and isinstance(newest.pk, int):
        between = random.Random(1).randint(oldest.pk, newest.pk)  # noqa: S311 - any
        found.insert(1, rows.filter(pk__lte=between).first())
    unique = {row.pk: row for row in found if row is not None}
    return list(unique.values())[:count]


def _name_of(model: type[Model], page: str) -> str:
    return f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}"
