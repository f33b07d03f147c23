"""The language of a visitor's pages: chosen there, or asked for by the browser."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

# Complete: tests/test_translations.py sees to it.
LANGUAGES = {"en": "English", "de": "Deutsch"}


def language_of(request: HttpRequest) -> str:
    """One of ours: where none of the visitor's is, the host's, and at last English."""
    asked = translation.get_language_from_request(request)
    for code in (asked, settings.LANGUAGE_CODE):
        if code.partition("-")[0] in LANGUAGES:
            return code.partition("-")[0]
    return "en"


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Kept as Django's own view keeps it, and back to the page it was asked for on."""
    language, path = request.POST.get("language", ""), request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(path, allowed_hosts=None):
        path = "affiliates_area:dashboard"
    answer: HttpResponse = redirect(path)
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
