"""Error pages: in the frame of the admin for staff, else as the API and Django answer."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views import csrf

from affiliates.extending import rest

FORBIDDEN = (
    "Not allowed",
    "Your account may not do this. Somebody who manages staff can change your role.",
)
NOT_FOUND = (
    "Not found",
    "The address may be mistyped, or the row was deleted.",
)
FORM_REFUSED = (
    "Nothing was saved",
    "Your browser did not send the cookie that protects this form. Go back, load the page "
    "again and repeat the last step.",
)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 403, FORBIDDEN) or rest.permission_denied(
        request, exception
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404, NOT_FOUND) or rest.not_found(request, exception)


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """For CSRF_FAILURE_VIEW."""
    return _answer(request, 403, FORM_REFUSED) or csrf.csrf_failure(request, reason)


def _answer(
    request: HttpRequest, code: int, words: tuple[str, str]
) -> HttpResponse | None:
    """Returns a page of the admin, for staff there."""
    is_in_admin = request.path.startswith(reverse("admin:index"))
    # A host that the admin is not on is refused before anybody is known.
    is_known = is_in_admin and hasattr(request, "user")
    if not is_known or not admin.site.has_permission(request):
        return None
    title, text = words
    context = {**admin.site.each_context(request), "title": title, "text": text}
    page = TemplateResponse(request, "admin/portal/refused.html", context, status=code)
    return page.render()
