"""Django's page middleware, stepping aside for the API.

API requests carry a bearer token or nothing: a session, a CSRF check or a look for a
static file would only cost time there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import Http404, HttpRequest
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.views.csrf import csrf_failure
from django_otp.middleware import OTPMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

from portal.clients.open_sessions import note_seen
from portal.clients.services import keep_language
from portal.clients.sessions import client_of_session
from portal.storefront.hosts import brand_of

logger = logging.getLogger(__name__)

API_PREFIX = "/api/"
STAFF_PREFIX = "/admin"
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
        return super().process_view(request, callback, callback_args, callback_kwargs)

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponseBase:
        # Django logs the path, in which the link of an e-mail holds its token.
        page = getattr(request.resolver_match, "route", "")
        logger.warning("Form refused (%s): %s", reason, page)
        return csrf_failure(request, reason=reason)


class PagesAuthenticationMiddleware(PagesOnly, AuthenticationMiddleware):
    pass


class PagesOTPMiddleware(PagesOnly, OTPMiddleware):  # type: ignore[misc] # untyped base
    pass


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
