"""Which pages of the admin there are: found by its own lists and URLs."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth import get_user_model
from django.db.models import Model
from django.urls import URLPattern, reverse

from benchmarks.desk import Groups, Visitor

INDEX = "First page"
SPANS = ("7", "30", "90", "month", "last-month", "year")
ROWS = 3
CHOICES = 3
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
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
# They change something, or need more than a row.
SKIPPED = ("delete", "password", "jsi18n", "autocomplete", "logout", "view_on_site")


def walk(only: str) -> Groups:
    user = get_user_model().objects.filter(is_superuser=True, is_active=True).first()
    visitor = Visitor(user)
    if not only:
        for span in SPANS:
            visitor.open(INDEX, "other", f"{reverse('admin:index')}?span={span}")
    for model, page in sorted(
        admin.site._registry.items(), key=lambda one: one[0]._meta.model_name or ""
    ):
        name = str(model._meta.verbose_name_plural).capitalize()
        if only.lower() in name.lower():
            _walk_lists(visitor, name, model, page)
            _walk_rows(visitor, name, model, page)
    return visitor.groups


def _walk_lists(visitor: Visitor, name: str, model: type[Model], page: Any) -> None:
    url = reverse(_name_of(model, "changelist"))
    answer = visitor.open(name, "list", url)
    shown = (getattr(answer, "context_data", None) or {}).get("cl")
    if not shown:
        return
    for kind, query in _queries_of(shown, model, page):
        visitor.open(name, kind, f"{url}?{query}")


def _queries_of(
    shown: ChangeList, model: type[Model], page: Any
) -> Iterator[tuple[str, str]]:
    for spec in shown.filter_specs:
        for choice in list(spec.choices(shown))[1 : CHOICES + 1]:
            if query := str(choice.get("query_string", "")).lstrip("?"):
                yield "filter", query
    if shown.search_fields:
        for text in _searched(model):
            yield "search", urlencode({"q": text})
    for position in range(1, len(shown.list_display)):
        yield "sorted", urlencode({"o": position})
    if shown.multi_page:
        yield "page", urlencode({"p": 2})
        yield "page", urlencode({"p": shown.paginator.num_pages})
    if page.date_hierarchy:
        yield "filter", urlencode({f"{page.date_hierarchy}__year": 2026})


def _searched(model: type[Model]) -> Iterator[str]:
    """What somebody would look for: a row's own texts, and words."""
    row = _some_rows(model, 1)
    for column in SEARCHED_COLUMNS:
        if row and (text := str(getattr(row[0], column, "") or "")):
            yield text[:100]
    yield from WORDS


def _walk_rows(visitor: Visitor, name: str, model: type[Model], page: Any) -> None:
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
            visitor.open(name, "other", reverse(f"admin:{pattern.name}"))
        elif len(names) == 1:
            for row in rows:
                address = reverse(f"admin:{pattern.name}", args=[row.pk])
                visitor.open(name, "row", address)


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
