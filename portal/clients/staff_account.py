"""Staff's own account in the admin: open sessions, and confirming the identity."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from rest_framework.exceptions import Throttled

from portal.clients.confirmation import ConfirmForm, asks_first, too_many
from portal.clients.confirmation import confirm as confirm_identity
from portal.clients.open_sessions import end_asked, logins_of
from portal.clients.staff_factor import next_page, second_factor

SESSIONS = "admin-sessions"


def sessions(request: HttpRequest) -> HttpResponse:
    user: Any = request.user
    this = request.session.session_key
    if request.method == "POST":
        if end_asked(user, request.POST, this=this):
            logout(request)
            return HttpResponseRedirect(reverse("admin:login"))
        return HttpResponseRedirect(f"{reverse(SESSIONS)}?ended")
    logins = logins_of(user, this=this, now=timezone.now())
    has_ended = "ended" in request.GET
    return _page(
        request, "sessions", _("Open sessions"), logins=logins, has_ended=has_ended
    )


def second_factor_page(request: HttpRequest) -> HttpResponse:
    """Managing it requires a confirmed identity; setting it up and the code do not."""
    user: Any = request.user
    is_managed = user.is_authenticated and user.is_verified()
    view = asks_first(second_factor) if is_managed else second_factor
    return view(request)


@sensitive_post_parameters("password", "code")
def confirm(request: HttpRequest) -> HttpResponse:
    form = ConfirmForm(request)
    status = 400 if form.is_bound else 200
    try:
        if form.is_bound and confirm_identity(request, form):
            return HttpResponseRedirect(next_page(request))
    except Throttled as refusal:
        too_many(form, refusal)
        status = 429
    title = _("Confirm that it is you")
    return _page(request, "confirm", title, status=status, form=form)


def _page(
    request: HttpRequest, name: str, title: str, *, status: int = 200, **shown: Any
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": title,
        "next_page": next_page(request),
        **shown,
    }
    return TemplateResponse(
        request, f"admin/portal/{name}.html", context, status=status
    )
