"""JSON endpoints of a host in the style of these: settings, handlers, repeats, fields."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from affiliates.api.http.negotiation import JSONOnly
from affiliates.api.http.parsers import JSONParser
from affiliates.api.http.renderers import JSONRenderer
from affiliates.api.serializers import (
    CompletionSerializer,
    ConversionSerializer,
    GuestSerializer,
    RegistrationSerializer,
)

if TYPE_CHECKING:
    from affiliates.api.http.errors import (
        bad_request,
        exception_handler,
        not_found,
        permission_denied,
        server_error,
    )
    from affiliates.api.http.guide import with_examples
    from affiliates.api.http.idempotency import answered_once
    from affiliates.api.http.schema import AutoSchema, WholeSchemaGenerator

__all__ = [
    "AutoSchema",
    "CompletionSerializer",
    "ConversionSerializer",
    "GuestSerializer",
    "JSONOnly",
    "JSONParser",
    "JSONRenderer",
    "RegistrationSerializer",
    "WholeSchemaGenerator",
    "answered_once",
    "bad_request",
    "exception_handler",
    "not_found",
    "permission_denied",
    "server_error",
    "with_examples",
]
# The REST framework imports the classes of its settings while its own views are being
# imported. Names that need those views are therefore looked up when they are used.
_MODULES_WITH_VIEWS = (
    "affiliates.api.http.errors",
    "affiliates.api.http.guide",
    "affiliates.api.http.idempotency",
    "affiliates.api.http.schema",
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for path in _MODULES_WITH_VIEWS:
            module = import_module(path)
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
