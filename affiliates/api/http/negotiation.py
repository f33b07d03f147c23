"""Both sides use JSON of a declared length."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

LENGTH, TRANSFER_ENCODING = "CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"


class LengthRequired(APIException):
    status_code = status.HTTP_411_LENGTH_REQUIRED
    default_detail = "Send the body with its Content-Length, not in chunks."
    default_code = "length_required"


class JSONOnly(BaseContentNegotiation):
    """JSON for any Accept header."""

    def select_parser(
        self, request: Request, parsers: Iterable[BaseParser]
    ) -> BaseParser | None:
        """The JSON parser if the body is declared as JSON; None answers 415."""
        media_type = (request.content_type or "").partition(";")[0].strip().lower()
        parser = next(iter(parsers))
        return parser if media_type == parser.media_type else None

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """Called first for a request, whose body may be refused at once."""
        if request.method not in SAFE_METHODS and _hides_its_length(request):
            raise LengthRequired
        renderer = next(iter(renderers))
        return renderer, str(renderer.media_type)


def _hides_its_length(request: Request) -> bool:
    """Whether there is a body that Django would treat as empty."""
    meta = request.META
    if TRANSFER_ENCODING in meta:
        return True
    return not meta.get(LENGTH) and _has_unannounced_body(request)


def _has_unannounced_body(request: Request) -> bool:
    """HTTP/2 needs no header for a body: tries a byte if the server ends the stream."""
    scope = getattr(request, "scope", None)
    if scope is not None:
        return not scope["http_version"].startswith("1") and bool(request.read(1))
    is_ended = request.META.get("wsgi.input_terminated")
    return bool(is_ended and request.META["wsgi.input"].read(1))
