"""Django's page middleware, stepping aside for the API; and the second factor's.

API requests carry a bearer token or nothing: a session, a CSRF check or a look for a
static file would only cost time there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django_otp.middleware import OTPMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

from portal.clients import staff_factor
from portal.clients.open_sessions import note_seen
from portal.clients.services import keep_language
from portal.clients.sessions import client_of_session
from portal.storefront import second_factor
from portal.storefront.hosts import brand_of

API_PREFIX = "/api/"
# Not "cookies": that would delete the referral cookie of the whole domain too.
FORGOTTEN = '"cache", "storage"'
STAFF_PREFIX = "/admin"
Lead = Callable[[HttpRequest], HttpResponse | None]
# Besides the API: pictures are in the admin and in e-mails too.
ON_EVERY_HOST = ("/.well-known/", "/affiliate/images/", "/health/", "/metrics")


def is_api_request(request: HttpRequest) -> bool:
    return request.path_info.startswith(API_PREFIX)


class PagesOnly:
    """Put before a middleware class: it is skipped for API requests."""

    get_response: Callable[[HttpRequest], Any]

    def __call__(self, request: HttpRequest) -> Any:
        if is_api_request(request):
            return self.get_response(request)
        middleware: Any = super()
        return middleware.__call__(request)


class AllowedHostsMiddleware(MiddlewareMixin):
    """Refuses a host missing in ALLOWED_HOSTS for every path: few views ask for it.

    Load balancers and Prometheus ask by address.
    """

    def process_request(self, request: HttpRequest) -> None:
        path = request.path_info
        if path != "/metrics" and not path.startswith("/health/"):
            # Raises DisallowedHost.
            request.get_host()


class ApiHttpsMiddleware(MiddlewareMixin):
    """Refuses calls of the API over plain http where HTTPS is on.

    A program that is redirected would go on sending its key in clear. People, who may
    open the API's description, are redirected by SecurityMiddleware.
    """

    def process_request(self, request: HttpRequest) -> JsonResponse | None:
        if not is_api_request(request):
            return None
        if not settings.SECURE_SSL_REDIRECT or request.is_secure():
            return None
        error = {"code": "https_required", "detail": "Call it by https.", "attr": None}
        problem = {"type": "client_error", "errors": [error]}
        return JsonResponse(problem, status=403)


class PagesWhiteNoiseMiddleware(PagesOnly, WhiteNoiseMiddleware):  # type: ignore[misc] # untyped base
    pass


class AdminHostsMiddleware(PagesOnly, MiddlewareMixin):
    """With ADMIN_HOSTS: the admin on these hosts only, and no shop or area on them.

    A host that is also a brand's client area answers everything.
    """

    def process_request(self, request: HttpRequest) -> None:
        if not settings.ADMIN_HOSTS:
            return
        host, _port = split_domain_port(request.get_host())
        is_admins = validate_host(host, settings.ADMIN_HOSTS)
        path = request.path_info
        if path == STAFF_PREFIX or path.startswith(f"{STAFF_PREFIX}/"):
            if not is_admins:
                raise Http404
        elif is_admins and not path.startswith(ON_EVERY_HOST):
            brand_of(request)


class PagesSessionMiddleware(PagesOnly, SessionMiddleware):
    def process_response(self, request: HttpRequest, response: Any) -> Any:
        note_seen(request.session)
        # Browsers ignore it without https.
        if request.is_secure() and getattr(request, "has_logged_out", False):
            response["Clear-Site-Data"] = FORGOTTEN
        return super().process_response(request, response)


class PagesCsrfViewMiddleware(PagesOnly, CsrfViewMiddleware):
    def process_view(
        self,
        request: HttpRequest,
        callback: Callable[..., HttpResponseBase],
        callback_args: tuple[Any, ...],
        callback_kwargs: dict[str, Any],
    ) -> Any:
        # Django calls process_view directly, past __call__.
        if is_api_request(request):
            return None
        answer = super().process_view(request, callback, callback_args, callback_kwargs)
        # For the line of affiliates.security.
        request.has_failed_check = answer is not None  # type: ignore[attr-defined]
        return answer


class PagesAuthenticationMiddleware(PagesOnly, AuthenticationMiddleware):
    pass


class PagesOTPMiddleware(PagesOnly, OTPMiddleware):  # type: ignore[misc] # untyped base
    pass


class SecondFactorMiddleware:
    """Leads staff to the page for the code, and affiliates to set theirs up."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        lead = _second_factor_of(request.path_info)
        if lead is None:
            return self.get_response(request)
        if self._is_async:
            return self._answer_async(request, lead)
        return lead(request) or self.get_response(request)

    async def _answer_async(self, request: HttpRequest, lead: Lead) -> Any:
        return await sync_to_async(lead)(request) or await self.get_response(request)


def _second_factor_of(path: str) -> Lead | None:
    if path.startswith(staff_factor.ADMIN_PATH) and settings.STAFF_SECOND_FACTOR:
        return staff_factor.lead
    if path.startswith(second_factor.AREA_PATH) and settings.AFFILIATE_SECOND_FACTOR:
        return second_factor.lead
    return None


class PagesMessageMiddleware(PagesOnly, MessageMiddleware):
    pass


class VisitorLanguageMiddleware(PagesOnly, MiddlewareMixin):
    """Visitors' pages in their language: chosen on a page, else the browser's.

    A client's is kept, for e-mails. Staff's stay in that of the settings.
    """

    def process_request(self, request: HttpRequest) -> None:
        if not request.path_info.startswith(STAFF_PREFIX):
            translation.activate(translation.get_language_from_request(request))

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        try:
            self._say(request, response)
        finally:
            # The thread answers others next, whose language is not asked for.
            translation.deactivate()
        return response

    def _say(self, request: HttpRequest, response: HttpResponseBase) -> None:
        is_page = response.get("Content-Type", "").startswith("text/html")
        if is_page and not request.path_info.startswith(STAFF_PREFIX):
            language = translation.get_language() or ""
            response.headers["Content-Language"] = language
            # The choice is a cookie.
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
            if client := client_of_session(request):
                keep_language(client, language)
