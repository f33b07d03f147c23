"""CORS by the brand table: an Origin may call the API when it is a client area's."""

from __future__ import annotations

from typing import Any

from corsheaders.signals import check_request_enabled
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest

from affiliates.brands import selectors as brands

API_PREFIX = "/api/"


def connect() -> None:
    check_request_enabled.connect(
        _is_enabled, dispatch_uid="affiliates_cors_by_brand_table"
    )


def _is_enabled(request: HttpRequest, **_: Any) -> bool:
    origin = request.META.get("HTTP_ORIGIN")
    if origin is None or not request.path_info.startswith(API_PREFIX):
        return False
    try:
        return brands.is_client_area(origin)
    except (OperationalError, InterfaceError):
        # The view meets the same fault and answers it; a middleware could not.
        return False
