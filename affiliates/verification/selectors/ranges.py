"""How rows are read: a range of ids at a time, documents as text."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast


def within(rows: QuerySet[Any], ids: range, column: str = "pk") -> QuerySet[Any]:
    bounds = {f"{column}__gte": ids.start, f"{column}__lt": ids.stop}
    return rows.filter(**bounds).order_by()


def json_text(column: str) -> Cast:
    """A document as it is stored: the rules read it, and much faster than Django."""
    return Cast(column, TextField())
