"""Where a visitor chooses a language, from the foot of any page."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from affiliates.contrib.area.looks.pages import LookPage
from affiliates.core.language import LANGUAGES


class LanguageChoice(LookPage):
    def post(self, request: HttpRequest) -> HttpResponseBase:
        """Kept as Django's own view keeps it, and back to the page it was asked for on."""
        language, path = request.POST.get("language", ""), request.POST.get("next", "")
        if not _is_of_this_host(path):
            path = "affiliates_area:dashboard"
        answer = redirect(path)
        if language in LANGUAGES:
            answer.set_cookie(
                settings.LANGUAGE_COOKIE_NAME,
                language,
                max_age=settings.LANGUAGE_COOKIE_AGE,
                path=settings.LANGUAGE_COOKIE_PATH,
                domain=settings.LANGUAGE_COOKIE_DOMAIN,
                secure=settings.LANGUAGE_COOKIE_SECURE,
                httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
                samesite=settings.LANGUAGE_COOKIE_SAMESITE or "Lax",
            )
        return answer


def _is_of_this_host(path: str) -> bool:
    """A whole path: anything else may also be the name of a view, or of none."""
    is_safe = url_has_allowed_host_and_scheme(path, allowed_hosts=None)
    return is_safe and path.startswith("/")
