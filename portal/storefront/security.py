"""A client's account in the shop: open sessions."""

from __future__ import annotations

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from portal.clients.models import User
from portal.clients.open_sessions import end_asked, logins_of
from portal.storefront.account import of_client
from portal.storefront.views import page

SESSIONS_PAGE = "/account/sessions"


@require_http_methods(["GET", "HEAD", "POST"])
@of_client
def sessions(request: HttpRequest, client: User) -> HttpResponse:
    this = request.session.session_key
    if request.method == "POST":
        if end_asked(client, request.POST, this=this):
            logout(request)
            return HttpResponseRedirect("/login")
        return HttpResponseRedirect(f"{SESSIONS_PAGE}?ended")
    logins = logins_of(client, this=this, now=timezone.now())
    return page(request, "sessions", logins=logins, has_ended="ended" in request.GET)
