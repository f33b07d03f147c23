"""A client's account in the shop: open sessions, password, confirming the identity."""

from __future__ import annotations

from functools import partial

from django import forms
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from rest_framework.exceptions import Throttled

from affiliates.errors import InvalidInput
from portal.clients import confirmation
from portal.clients.login_limits import try_password
from portal.clients.models import User
from portal.clients.open_sessions import end_asked, logins_of
from portal.clients.services import change_password
from portal.clients.sessions import require_rate
from portal.clients.validators import MAX_PASSWORD_LENGTH
from portal.storefront.account import next_page, of_client, too_many
from portal.storefront.views import page

SESSIONS_PAGE, PASSWORD_PAGE = "/account/sessions", "/account/password"


class PasswordForm(forms.Form):
    old = forms.CharField(max_length=MAX_PASSWORD_LENGTH, strip=False)
    new = forms.CharField(max_length=MAX_PASSWORD_LENGTH, strip=False)


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


@sensitive_post_parameters("password", "code")
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


@sensitive_post_parameters("old", "new")
@require_http_methods(["GET", "HEAD", "POST"])
@of_client
def password(request: HttpRequest, client: User) -> HttpResponse:
    form = PasswordForm(request.POST if request.method == "POST" else None)
    show = partial(page, request, "password", form=form)
    if not form.is_bound:
        return show(has_changed="changed" in request.GET)
    if not form.is_valid():
        return show(status=400)
    try:
        require_rate(request)
        if not try_password(request, client, form.cleaned_data["old"]):
            form.add_error("old", _("Wrong password."))
            return show(status=400)
        change_password(client, form.cleaned_data["new"])
    except Throttled as refusal:
        return too_many(refusal, form, show)
    except InvalidInput as refusal:
        form.add_error("new", refusal.detail)
        return show(status=400)
    # All have ended; this browser goes on in a new one.
    update_session_auth_hash(request, client)
    confirmation.note_confirmed(request)
    return HttpResponseRedirect(f"{PASSWORD_PAGE}?changed")
