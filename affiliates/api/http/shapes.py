"""The bodies of answers and refusals: one shape each, which the host may choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.module_loading import import_string

from affiliates.conf import conf


def answer_body(data: Any) -> Any:
    """A success with what AFFILIATES_DATA_SHAPE makes of the data."""
    path = conf.data_shape
    return import_string(path)(data) if path else {"data": data}


def refusal_body(kind: str, errors: Sequence[dict[str, Any]], *, status: int) -> Any:
    """A refusal with what AFFILIATES_ERROR_SHAPE makes of the errors.

    Each has ``code``, ``detail`` and ``attr``; there is at least one.
    """
    path = conf.error_shape
    if path:
        return import_string(path)(errors, status=status)
    return {"type": kind, "errors": errors}
