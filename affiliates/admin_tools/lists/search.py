"""Searches lists: by whole values first, each of them found by an index.

A finder selects rows of a table by columns of that table only: matching rows of other
tables are looked up first. So the database can use its indexes, while one condition
over several joined tables would read them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from affiliates.adapter import get_adapter

# The limit of other tables' rows; beyond it the text must be more precise.
MAX_NAMED = 500
NOTHING = Q(pk__in=())

Finder = Callable[[Any, str], Q]


def exactly(*fields: str) -> Finder:
    """Rows with this value, as typed, in lower or in upper case."""

    def find(model: Any, text: str) -> Q:
        return _any(_is(model._meta.get_field(name), text) for name in fields)

    return find


def beginning(*fields: str) -> Finder:
    """Rows with a value that begins with the text, in lower case or as typed."""

    def find(model: Any, text: str) -> Q:
        return _any(
            Q(**{f"{name}__startswith": word})
            for name in fields
            for word in {text, text.lower()}
        )

    return find


def containing(*fields: str) -> Finder:
    """Rows that contain the text: for tables that may be read as a whole, and columns
    with an index of their parts."""

    def find(model: Any, text: str) -> Q:
        return _any(Q(**{f"{name}__icontains": text}) for name in fields)

    return find


def named(field: str, finder: Finder) -> Finder:
    """Rows whose ``field`` leads to a row that the other finder finds."""

    def find(model: Any, text: str) -> Q:
        other = model._meta.get_field(field).related_model
        rows = other._base_manager.filter(finder(other, text))
        return Q(
            **{f"{field}__in": list(rows.values_list("pk", flat=True)[:MAX_NAMED])}
        )

    return find


def orders(field: str = "order_ref") -> Finder:
    """By the host's reference of an order, or by an invoice number of it."""
    return _reference(field, lambda text: get_adapter().order_refs(text))


def invoices(field: str = "invoice_ref") -> Finder:
    """By the host's reference of an invoice, or by its number."""
    return _reference(field, lambda text: get_adapter().invoice_refs(text))


def clients(field: str = "client") -> Finder:
    """By a client's whole e-mail address."""
    by_email = named(field, exactly(get_user_model().get_email_field_name()))

    def find(model: Any, text: str) -> Q:
        if "@" not in text:
            return NOTHING
        return clients_like(field)(model, text) | by_email(model, text)

    return find


def clients_like(field: str = "client") -> Finder:
    """Clients found by the host's own search, such as by a part of a name."""

    def find(model: Any, text: str) -> Q:
        matches = get_adapter().find_clients(text, limit=MAX_NAMED)
        return Q(**{f"{field}__in": matches})

    return find


def affiliates(field: str = "affiliate") -> Finder:
    return named(field, exactly("code"))


def found(
    rows: QuerySet[Any], text: str, whole: Sequence[Finder], parts: Sequence[Finder]
) -> QuerySet[Any]:
    """Rows found by one of ``whole``; if there are none, by one of ``parts``."""
    text = text.strip()
    if not text:
        return rows
    matching = rows.filter(any_of(whole, rows.model, text))
    if not parts or matching.exists():
        return matching
    return rows.filter(any_of(parts, rows.model, text))


def any_of(finders: Iterable[Finder], model: Any, text: str) -> Q:
    return _any(find(model, text) for find in finders)


def _reference(field: str, numbered: Callable[[str], Sequence[str]]) -> Finder:
    def find(model: Any, text: str) -> Q:
        brands = apps.get_model("affiliates", "Brand").objects.values_list("pk")
        # Unique within a brand, so the index begins with the brand.
        of_brand = Q(brand__in=[pk for (pk,) in brands])
        refs = {*_spellings(text), *numbered(text)}
        return of_brand & Q(**{f"{field}__in": refs})

    return find


def _spellings(text: str) -> set[str]:
    return {text, text.lower(), text.upper()}


def _is(field: Any, text: str) -> Q:
    """Equal as the column's type reads it, such as a number or a UUID."""
    try:
        values = {field.to_python(spelling) for spelling in _spellings(text)}
    except ValidationError:
        return NOTHING
    return Q(**{f"{field.name}__in": values})


def _any(conditions: Iterable[Q]) -> Q:
    return reduce(or_, conditions, NOTHING)
