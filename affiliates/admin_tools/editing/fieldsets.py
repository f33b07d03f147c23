"""The fields of a row's page that have a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib.admin.utils import lookup_field
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest

EMPTY: Any = (None, "", "-", [], {})


class FilledFields:
    """A mixin for a ModelAdmin: fields that would show a dash are left out."""

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)  # type: ignore[misc] # ModelAdmin's
        if obj is None:
            return fieldsets
        # Django asks several times for a page.
        known = request.__dict__.setdefault("_affiliates_fieldsets", {})
        if obj not in known:
            known[obj] = list(_filled_fieldsets(self, obj, fieldsets))
        return known[obj]


def _filled_fieldsets(page: Any, row: Any, fieldsets: Any) -> Iterator[Any]:
    for name, options in fieldsets:
        if fields := list(_filled(page, row, options["fields"])):
            yield name, {**options, "fields": fields}


def _filled(page: Any, row: Any, lines: Sequence[Any]) -> Iterator[Any]:
    """Fields that stood beside each other in a line stay in it."""
    for line in lines:
        if isinstance(line, str):
            if _has_value(page, row, line):
                yield line
        elif shown := tuple(_filled(page, row, line)):
            yield shown


def _has_value(page: Any, row: Any, name: str) -> bool:
    try:
        _, _, value = lookup_field(name, row, page)
    except ObjectDoesNotExist:
        return False
    return value not in EMPTY
