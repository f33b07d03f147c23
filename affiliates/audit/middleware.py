"""Keeps the current request, to name the author of a change.

auditlog's own middleware loads the user and rewires signals at every request; this one
does nothing until a change is recorded, so visits cost what they did.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

from affiliates.audit.recording import request_of_now


class AuditMiddleware(MiddlewareMixin):
    """Put behind the one that says who is logged in."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if self.async_mode:
            return self._answer_async(request)
        token = request_of_now.set(request)
        try:
            return self.get_response(request)
        finally:
            request_of_now.reset(token)

    async def _answer_async(self, request: HttpRequest) -> Any:
        token = request_of_now.set(request)
        try:
            return await self.get_response(request)
        finally:
            request_of_now.reset(token)
