"""Staff's own account in the admin: open sessions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from portal.clients.open_sessions import end_asked, logins_of

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


def _page(
    request: HttpRequest, name: str, title: str, *, status: int = 200, **shown: Any
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": title,
        **shown,
    }
    return TemplateResponse(
        request, f"admin/portal/{name}.html", context, status=status
    )
