"""Keeps the current request, to name the author of a change, and logs pages' refusals.

auditlog's own middleware loads the user and rewires signals at every request; this one
does nothing until a change is recorded, so visits cost what they did.
"""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

from affiliates.db.audit.recording import request_of_now
from affiliates.telemetry.refusals import is_refusal, log_refusal


class AuditMiddleware(MiddlewareMixin):
    """Put behind the one that says who is logged in."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if self.async_mode:
            return self._answer_async(request)
        token = request_of_now.set(request)
        try:
            response = self.get_response(request)
            if is_refusal(response):
                log_refusal(request, response)
            return response
        finally:
            request_of_now.reset(token)

    async def _answer_async(self, request: HttpRequest) -> Any:
        token = request_of_now.set(request)
        try:
            response = await self.get_response(request)
            if is_refusal(response):
                await sync_to_async(log_refusal)(request, response)
            return response
        finally:
            request_of_now.reset(token)
