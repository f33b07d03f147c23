"""Every refusal under /api is JSON of one shape, whatever raised it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt
from drf_standardized_errors.handler import ExceptionHandler
from rest_framework import exceptions, status
from rest_framework.response import Response

from affiliates.api.http.cors import API_PREFIX
from affiliates.errors import (
    AffiliatesError,
    InvalidInput,
    NotAllowed,
    NotFound,
    StateConflict,
)
from affiliates.visits.writer import ClickStoreUnavailable

RETRY_AFTER_SECONDS = 2


class Conflict(exceptions.APIException):
    status_code = status.HTTP_409_CONFLICT


class Unavailable(exceptions.APIException):
    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_detail = "The service is busy for a moment. Try again."
    default_code = "unavailable"
    wait = RETRY_AFTER_SECONDS


class _Handler(ExceptionHandler):
    def convert_known_exceptions(self, exc: Exception) -> Exception:
        if isinstance(exc, AffiliatesError):
            return _to_api_exception(exc)
        if isinstance(exc, ClickStoreUnavailable | OperationalError | InterfaceError):
            return Unavailable()
        if isinstance(exc, SuspiciousOperation):
            return exceptions.ParseError("This request cannot be read.")
        return super().convert_known_exceptions(exc)

    def should_not_handle(self, exc: Exception) -> bool:
        """Nothing is left to Django's debug page: it is HTML."""
        return False


def exception_handler(exc: Exception, context: Any) -> Response | None:
    """For REST_FRAMEWORK["EXCEPTION_HANDLER"]."""
    return _Handler(exc, context).run()


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For handler400."""
    if _is_api(request):
        return _json(status.HTTP_400_BAD_REQUEST, "bad_request", "Bad request.")
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For handler403."""
    if _is_api(request):
        return _json(status.HTTP_403_FORBIDDEN, "permission_denied", "Not allowed.")
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For handler404."""
    if _is_api(request):
        return unknown_path(request)
    return defaults.page_not_found(request, exception)


@csrf_exempt
def unknown_path(request: HttpRequest) -> HttpResponse:
    """Any other path under /api: JSON also where DEBUG would show a page."""
    return _json(status.HTTP_404_NOT_FOUND, "not_found", "Not found.")


def server_error(request: HttpRequest) -> HttpResponse:
    """For handler500."""
    if _is_api(request):
        return _json(
            status.HTTP_500_INTERNAL_SERVER_ERROR, "error", "Server Error (500)"
        )
    return defaults.server_error(request)


def _to_api_exception(error: AffiliatesError) -> exceptions.APIException:
    detail = exceptions.ErrorDetail(error.detail, code=error.code)
    match error:
        case InvalidInput():
            return exceptions.ValidationError(
                {error.field: [detail]} if error.field else [detail]
            )
        case NotAllowed():
            return exceptions.PermissionDenied(error.detail, error.code)
        case NotFound():
            return exceptions.NotFound()
        case StateConflict():
            return Conflict(error.detail, error.code)
        case _:
            return exceptions.ValidationError([detail])


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(API_PREFIX)


def _json(status_code: int, code: str, detail: str) -> JsonResponse:
    kind = "server_error" if status_code >= 500 else "client_error"
    return JsonResponse(
        {"type": kind, "errors": [{"code": code, "detail": detail, "attr": None}]},
        status=status_code,
    )
