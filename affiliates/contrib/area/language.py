"""The language of a visitor's pages: chosen there, or asked for by the browser."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from affiliates.core.language import LANGUAGES


def language_of(request: HttpRequest) -> str:
    """One of ours: where none of the visitor's is, the host's, and at last English."""
    asked = translation.get_language_from_request(request)
    for code in (asked, settings.LANGUAGE_CODE):
        if code.partition("-")[0] in LANGUAGES:
            return code.partition("-")[0]
    return "en"
