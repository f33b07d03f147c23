"""CORS by the brand table: an Origin may call the API when it is a client area's."""

from __future__ import annotations

from typing import Any

from corsheaders.middleware import ACCESS_CONTROL_ALLOW_ORIGIN, CorsMiddleware
from corsheaders.signals import check_request_enabled
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django.utils.cache import patch_vary_headers

from affiliates.brands import selectors as brands

API_PREFIX = "/api/"


def connect() -> None:
    check_request_enabled.connect(
        _is_enabled, dispatch_uid="affiliates_cors_by_brand_table"
    )


class BrandCorsMiddleware(CorsMiddleware):
    """django-cors-headers; a call itself gets its two headers by the table alone.

    The library would ask its settings and this table for every call: a tenth of what a
    visit costs.
    """

    def __call__(self, request: HttpRequest) -> Any:
        if request.method == "OPTIONS" or not request.path_info.startswith(API_PREFIX):
            return super().__call__(request)
        response: Any = self.get_response(request)
        if _is_enabled(request):
            response[ACCESS_CONTROL_ALLOW_ORIGIN] = request.META["HTTP_ORIGIN"]
        patch_vary_headers(response, ("origin",))
        return response


def _is_enabled(request: HttpRequest, **_: Any) -> bool:
    origin = request.META.get("HTTP_ORIGIN")
    if origin is None or not request.path_info.startswith(API_PREFIX):
        return False
    try:
        return brands.is_client_area(origin)
    except (OperationalError, InterfaceError):
        # The view meets the same fault and answers it; a middleware could not.
        return False
