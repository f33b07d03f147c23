"""Returns to the page that led to a form after the form is saved."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

BACK = "_back"


def leading_back(form_url: str, to: str) -> str:
    """The form's address, with the page to go back to."""
    joined = "&" if "?" in form_url else "?"
    return f"{form_url}{joined}{BACK}={quote(to)}"


class Returning:
    """Mixed into a ModelAdmin."""

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponse:
        page: HttpResponse = super().response_post_save_add(request, obj)  # type: ignore[misc] # ModelAdmin's
        return _back(request) or page

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        page: HttpResponse = super().response_post_save_change(request, obj)  # type: ignore[misc] # ModelAdmin's
        return _back(request) or page


def _back(request: HttpRequest) -> HttpResponse | None:
    """Redirects to a path of this server only: anybody can write the address."""
    to = request.GET.get(BACK, "")
    if to.startswith("/") and url_has_allowed_host_and_scheme(to, allowed_hosts=None):
        return HttpResponseRedirect(to)
    return None
