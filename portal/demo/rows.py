"""Writing the demonstration's rows so that another run changes nothing."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model

Row = TypeVar("Row", bound=Model)


def put(model: type[Row], key: dict[str, Any], values: dict[str, Any]) -> Row:
    row = model._default_manager.filter(**key).first() or model(**key)
    return save(row, values)


def save(row: Row, values: dict[str, Any]) -> Row:
    """Write what differs; a row that is right already is left alone."""
    changed = [name for name, value in values.items() if getattr(row, name) != value]
    if row._state.adding or changed:
        for name in changed:
            setattr(row, name, values[name])
        row.full_clean()
        row.save()
    return row
