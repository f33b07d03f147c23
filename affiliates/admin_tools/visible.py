"""Which rows a member of staff may see: the only place that decides it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.apps import apps
from django.db.models import F, Model, QuerySet
from django.forms import Field, ModelChoiceField
from django.http import HttpRequest

M = TypeVar("M", bound=Model)


def visible_to(staff: Any, rows: QuerySet[M]) -> QuerySet[M]:
    """Returns the rows that ``staff``, a user of the admin, may see: all of them.

    Under every query of the admin for rows that are listed, counted, opened or offered.
    Rows that belong to a visible row, such as an affiliate's orders, need no second call.
    """
    return rows


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
        field = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc] # ModelAdmin's
        offer_visible(request.user, [field])
        return field
