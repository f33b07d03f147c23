"""A client's account in the shop: open sessions, and confirming the identity."""

from __future__ import annotations

from functools import partial

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from rest_framework.exceptions import Throttled

from portal.clients import confirmation
from portal.clients.models import User
from portal.clients.open_sessions import end_asked, logins_of
from portal.clients.sessions import require_rate
from portal.storefront.account import next_page, of_client, too_many
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


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@of_client
def confirm(request: HttpRequest, client: User) -> HttpResponse:
    form = confirmation.ConfirmForm(request)
    wanted = next_page(request)
    show = partial(page, request, "confirm", form=form, next_page=wanted)
    if not form.is_bound:
        return show()
    try:
        require_rate(request)
        is_confirmed = confirmation.confirm(request, form)
    except Throttled as refusal:
        return too_many(refusal, form, show)
    return HttpResponseRedirect(wanted) if is_confirmed else show(status=400)
