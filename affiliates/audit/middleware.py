"""Keeps the current request, to name the author of a change.

auditlog's own middleware loads the user and rewires signals at every request; this one
does nothing until a change is recorded, so visits cost what they did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest

from affiliates.audit.recording import request_of_now


class AuditMiddleware:
    """Put behind the one that says who is logged in."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        if self._is_async:
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
