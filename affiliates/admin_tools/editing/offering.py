"""A field that completes what is typed offers the rows that its form accepts.

``admin.js`` adds the brand of the form to the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from affiliates.admin_tools.visible import only_visible_id, path_to_brand

Narrow = Callable[[QuerySet[Any], int], QuerySet[Any]]
BRAND_ID = re.compile(r"[0-9]{1,18}")

# By the model and the field that ask, in lower case.
_narrowed: dict[tuple[str, str], Narrow] = {}


def offer_only(model: str, field: str, narrow: Narrow) -> None:
    """``narrow`` is called with rows of the form's brand and the id of the brand."""
    _narrowed[model, field] = narrow


def offered(request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows of the form's brand; all rows if it has none yet, and in lists."""
    asked = request.GET
    brand = BRAND_ID.fullmatch(asked.get("brand", ""))
    path = path_to_brand(rows.model)  # type: ignore[arg-type] # a class is hashable
    if "field_name" not in asked or brand is None or path == "pk":
        return rows
    brand_id = int(brand[0])
    if path is not None:
        rows = rows.filter(**{path: brand_id})
    key = asked.get("model_name", ""), asked["field_name"]
    return _narrowed[key](rows, brand_id) if key in _narrowed else rows


class FilledFromAddress:
    """Ignores ids in the address without a row: autocomplete fails at some.

    Without one, the form of a new row begins with the only brand there is.
    """

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        page: Any = self
        initial: dict[str, Any] = super().get_changeform_initial_data(request)  # type: ignore[misc] # ModelAdmin's
        for name in initial.keys() & set(page.autocomplete_fields):
            try:
                page.opts.get_field(name).clean(initial[name], None)
            except ValidationError:
                del initial[name]
        if "brand" in page.autocomplete_fields and not initial.get("brand"):
            brands = page.opts.get_field("brand").related_model._default_manager
            initial["brand"] = only_visible_id(request.user, brands.all())
        return initial
