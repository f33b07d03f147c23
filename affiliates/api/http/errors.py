"""Every refusal under /api is JSON of one shape, for all exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import (
    NON_FIELD_ERRORS,
    SuspiciousOperation,
    ValidationError,
)
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import NoReverseMatch, reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext_lazy as _
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt
from drf_standardized_errors.formatter import ExceptionFormatter
from drf_standardized_errors.handler import ExceptionHandler
from rest_framework import exceptions, serializers, status
from rest_framework.fields import get_error_detail
from rest_framework.response import Response

from affiliates.api.http.cors import by_brand_table
from affiliates.core.language import first_of_ours
from affiliates.db.deadlines.deadline import DatabaseAway
from affiliates.errors import (
    AffiliatesError,
    InvalidInput,
    KeyReused,
    NotAllowed,
    NotFound,
    RequestInProgress,
    StateConflict,
)
from affiliates.telemetry.counters import count_refusal
from affiliates.telemetry.refusals import is_refusal, log_refusal

RETRY_AFTER_SECONDS = 2
VISIT_NAME, VISIT_PATH = "affiliates:affiliate_link_visit", "affiliate_link/visit"


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Stable and machine-readable.")
    detail = serializers.CharField(help_text="What is wrong and what to do.")
    attr = serializers.CharField(
        allow_null=True, help_text="The field at fault, or null."
    )


class Conflict(exceptions.APIException):
    status_code = status.HTTP_409_CONFLICT


class InProgress(Conflict):
    wait = RETRY_AFTER_SECONDS


class Unprocessable(exceptions.APIException):
    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY


class Unavailable(exceptions.APIException):
    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_detail = _("The service is busy for a moment. Try again.")
    default_code = "unavailable"
    wait = RETRY_AFTER_SECONDS


class _Handler(ExceptionHandler):
    """Answers in the caller's language; logs in that of the settings."""

    def __init__(self, exc: Exception, context: Any) -> None:
        super().__init__(exc, context)
        asked = translation.get_language_from_request(context["request"])
        self._language = first_of_ours(asked)

    def convert_known_exceptions(self, exc: Exception) -> Exception:
        if isinstance(exc, AffiliatesError):
            return _to_api_exception(exc)
        if isinstance(exc, ValidationError):
            with translation.override(self._language):
                return _to_drf(exc)
        if isinstance(exc, DatabaseAway | OperationalError | InterfaceError):
            return Unavailable()
        if isinstance(exc, SuspiciousOperation):
            return exceptions.ParseError(_("This request cannot be read."))
        if isinstance(exc, exceptions.Throttled):
            return self._of_throttled(exc)
        return super().convert_known_exceptions(exc)

    def _of_throttled(self, exc: exceptions.Throttled) -> exceptions.Throttled:
        """Makes the framework's sentence again, as it holds the number of seconds."""
        wait = getattr(exc, "wait", None)
        if exc.detail != exceptions.Throttled(wait).detail:
            return exc
        with translation.override(self._language):
            return exceptions.Throttled(wait)

    def format_exception(self, exc: exceptions.APIException) -> Any:
        """Uses our settings only, even if the host has DRF_STANDARDIZED_ERRORS."""
        return ExceptionFormatter(exc, self.context, self.exc).run()

    def get_response(self, exc: exceptions.APIException, data: Any) -> Response:
        """Translates texts that were made in the language of the settings."""
        with translation.override(self._language):
            for error in data["errors"]:
                error["detail"] = translation.gettext(error["detail"])
        response: Response = super().get_response(exc, data)
        response.headers["Content-Language"] = self._language
        # A choice on the host's pages is a cookie.
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response

    def should_not_handle(self, exc: Exception) -> bool:
        """Leaves nothing to Django's debug page, which is HTML."""
        return False


def exception_handler(exc: Exception, context: Any) -> Response | None:
    """Answers refusals of our endpoints; a host's endpoints may use it too."""
    response = _Handler(exc, context).run()
    if response is not None:
        scope = getattr(context["view"], "throttle_scope", None) or "other"
        code = response.data["errors"][0]["code"]
        count_refusal(scope, str(response.status_code), code)
        if is_refusal(response):
            # Here for hosts without AuditMiddleware.
            log_refusal(context["request"]._request, response)
    return response


@csrf_exempt
@login_not_required
@by_brand_table
def unknown_path(request: HttpRequest) -> HttpResponse:
    """Answers any other path under /api in JSON, even if DEBUG would show a page."""
    return _json(status.HTTP_404_NOT_FOUND, "not_found", "Not found.")


def _handler(
    code: int, name: str, detail: str, page: Callable[..., HttpResponse]
) -> Callable[..., HttpResponse]:
    """JSON under the API's prefix, Django's own page elsewhere."""

    def handle(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if _is_of_api(request):
            return _json(code, name, detail)
        return page(request, *args, **kwargs)

    return handle


def _is_of_api(request: HttpRequest) -> bool:
    """Whether the path begins as the URLconf lets the API's paths begin."""
    try:
        prefix = reverse(VISIT_NAME).removesuffix(VISIT_PATH)
    except NoReverseMatch:
        return False
    return request.path.startswith(prefix)


# For handler400, handler403, handler404 and handler500.
bad_request = _handler(400, "bad_request", "Bad request.", defaults.bad_request)
permission_denied = _handler(
    403, "permission_denied", "Not allowed.", defaults.permission_denied
)
not_found = _handler(404, "not_found", "Not found.", defaults.page_not_found)
server_error = _handler(500, "error", "Server Error (500)", defaults.server_error)


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
            return exceptions.NotFound(error.detail, error.code)
        case RequestInProgress():
            return InProgress(error.detail, error.code)
        case KeyReused():
            return Unprocessable(error.detail, error.code)
        case StateConflict():
            return Conflict(error.detail, error.code)
        case _:
            return exceptions.ValidationError([detail])


def _to_drf(error: ValidationError) -> exceptions.ValidationError:
    """Converts errors of Django's forms, models and validators from an adapter."""
    detail: Any = get_error_detail(error)
    if isinstance(detail, dict):
        detail = {
            None if field == NON_FIELD_ERRORS else field: errors
            for field, errors in detail.items()
        }
    return exceptions.ValidationError(detail)


def _json(status_code: int, code: str, detail: str) -> JsonResponse:
    kind = "server_error" if status_code >= 500 else "client_error"
    error = {"code": code, "detail": detail, "attr": None}
    return JsonResponse({"type": kind, "errors": [error]}, status=status_code)
