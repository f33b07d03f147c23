"""Identifiers of the portal's rows, and reading them back from outside."""

from __future__ import annotations

import re
from typing import TypeVar
from uuid import UUID

import uuid_utils.compat
from django.db.models import Model, QuerySet

from affiliates.errors import NotFound

MAX_INTEGER_ID = 2**63 - 1
Row = TypeVar("Row", bound=Model)
INTEGER_ID = re.compile(r"[1-9][0-9]{0,18}")


def new_id() -> UUID:
    """A UUIDv7: unguessable, and ordered by creation time."""
    return uuid_utils.compat.uuid7()


def parse_id(text: str) -> UUID | None:
    """The UUID in its usual spelling, or None for anything else."""
    try:
        value = UUID(text)
    except ValueError:
        return None
    return value if str(value) == text.lower() else None


def require_integer_id(text: str) -> int:
    """The number. Raises NotFound for anything else: nothing has such an id."""
    if INTEGER_ID.fullmatch(text) is None or int(text) > MAX_INTEGER_ID:
        raise NotFound
    return int(text)


def require_id(text: str) -> UUID:
    """The UUID. Raises NotFound for anything else: nothing has such an id."""
    value = parse_id(text)
    if value is None:
        raise NotFound
    return value


def require_row(rows: QuerySet[Row]) -> Row:
    """The first of them. Raises NotFound when there is none."""
    row = rows.first()
    if row is None:
        raise NotFound
    return row
