"""Reading a request body: JSON in UTF-8, bounded in size and depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

import orjson
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

from affiliates.conf import conf


class BodyTooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request body is too large."
    default_code = "body_too_large"


class JSONParser(BaseParser):
    """Counts the bytes it reads, since the Content-Length is not trusted."""

    media_type = "application/json"
    # None: AFFILIATES_MAX_BODY_BYTES.
    max_bytes: int | None = None

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        limit = self.max_bytes or conf.max_body_bytes
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise BodyTooLarge(f"Send at most {limit} bytes.")
        self.examine(body, parser_context or {})
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"The body is not valid JSON: {error}") from None

    def examine(self, body: bytes, context: Mapping[str, Any]) -> None:
        """Called with the body as it was sent. Raise to refuse it."""
