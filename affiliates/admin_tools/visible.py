"""Which rows a member of staff may see: the only place that decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import router
from django.db.models import F, ForeignKey, Model, Q, QuerySet
from django.forms import Field, ModelChoiceField
from django.http import HttpRequest

M = TypeVar("M", bound=Model)
Brands = frozenset[int]
Rule = Callable[[Any, Brands], Q]

# By label: which rows a limited person sees of a model that has no way to a brand.
_rules: dict[str, Rule] = {"affiliates.SavedView": lambda staff, _: Q(person=staff)}


def register(label: str, rule: Rule) -> None:
    """``rule`` is called with the person and the ids of the person's brands."""
    _rules[label] = rule


def visible_to(staff: Any, rows: QuerySet[M]) -> QuerySet[M]:
    """Returns the rows that ``staff``, a user of the admin, may see.

    All of them, or those of the brands to which ``StaffBrand`` limits this person; then
    nothing of a model that belongs to no brand. Under every query of the admin for rows
    that are listed, counted, opened or offered. Rows that belong to a visible row, such
    as an affiliate's orders, need no second call.
    """
    brands = brands_of(staff)
    if brands is None:
        return rows
    if rule := _rules.get(rows.model._meta.label):
        return rows.filter(rule(staff, brands))
    path = path_to_brand(rows.model)
    return rows.none() if path is None else rows.filter(**{f"{path}__in": brands})


def only_visible_id(staff: Any, rows: QuerySet[M]) -> Any:
    """Returns the id of the only row that the person sees, None for several or none."""
    ids = [*visible_to(staff, rows).values_list("pk", flat=True)[:2]]
    return ids[0] if len(ids) == 1 else None


def brands_of(staff: Any) -> Brands | None:
    """The brands that this person is limited to; None: all. Queried once for a user."""
    if staff.is_superuser:
        return None
    if not hasattr(staff, "affiliates_brands"):
        rows = apps.get_model("affiliates", "StaffBrand").objects
        ids = rows.filter(person_id=staff.pk).values_list("brand_id", flat=True)
        staff.affiliates_brands = frozenset(ids) or None
    brands: Brands | None = staff.affiliates_brands
    return brands


@cache
def path_to_brand(model: type[Model]) -> str | None:
    """The lookup from a row to its brand; None: no way.

    The way with the fewest nullable keys, so that no row is left out, and of those the
    shortest; a column named ``brand`` wins. It never leads through the user who did
    something, but may lead through the client whom a row is about.
    """
    seen, tried = set(), count()
    ways: list[tuple[int, int, int, str, Any]] = [(0, 0, next(tried), "", model)]
    while ways:
        nullable, length, _, path, reached = heappop(ways)
        if reached._meta.label == "affiliates.Brand":
            return path or "pk"
        if reached in seen:
            continue
        seen.add(reached)
        for field in _leading_on(reached):
            cost = (nullable + field.null, length + 1, next(tried))
            longer = f"{path}__{field.name}" if path else field.name
            heappush(ways, (*cost, longer, field.related_model))
    return None


def _leading_on(model: type[Model]) -> Iterator[Any]:
    """Foreign keys; of those to users only the client's, and those of users."""
    keys = [field for field in model._meta.fields if isinstance(field, ForeignKey)]
    for field in sorted(keys, key=lambda row: row.name != "brand"):
        if field.related_model is not get_user_model() or field.name == "client":
            yield field


def offer_visible(staff: Any, fields: Iterable[Field]) -> None:
    """Offers and accepts only visible rows in the fields of a form."""
    for field in fields:
        if isinstance(field, ModelChoiceField) and field.queryset is not None:
            field.queryset = visible_to(staff, field.queryset)


def has_brands(request: HttpRequest) -> bool:
    """Whether the user sees several brands. Queried once for a page."""
    if not hasattr(request, "affiliates_has_brands"):
        brands = apps.get_model("affiliates", "Brand").objects.order_by()
        seen = visible_to(request.user, brands)[:2]
        request.affiliates_has_brands = len(seen) > 1  # type: ignore[attr-defined] # ours
    return bool(request.affiliates_has_brands)  # type: ignore[attr-defined] # ours


def told_apart(request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
    """Adds the brand's name to rows that say it in their text, if there are several."""
    return (
        rows.annotate(told_apart_by=F("brand__name")) if has_brands(request) else rows
    )


class VisibleRows:
    """A mixin for a ModelAdmin or an inline."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)  # type: ignore[misc] # ModelAdmin's
        return visible_to(request.user, rows)

    def formfield_for_dbfield(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        if isinstance(db_field, ForeignKey):
            # The router's for reading may be a replica, which is a moment behind.
            kwargs.setdefault("using", router.db_for_write(db_field.related_model))
        field = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc] # ModelAdmin's
        offer_visible(request.user, [field])
        return field
