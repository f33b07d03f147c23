"""The pages of staff's second factor: set-up, the question for the code, managing it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django_otp import login

from affiliates.extending.admin import widgets
from portal.clients.authenticators import Authenticator
from portal.clients.models import User
from portal.clients.second_factor import (
    WRONG,
    CodeField,
    codes_left,
    has_factor,
    key_of,
    match_code,
    remove_devices,
    renew_codes,
    shown_device,
    switch_on,
)

ADMIN_PATH = "/admin/"
OPEN_PAGES = ("login/", "logout/", "jsi18n/", "second-factor/")
TEMPLATE = "admin/portal/second_factor.html"


class StaffCodeForm(forms.Form):
    code = CodeField(
        widgets.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True})
    )


def lead(request: HttpRequest) -> HttpResponse | None:
    """Leads staff who have given their password alone to the page for the code."""
    if request.path_info.removeprefix(ADMIN_PATH).startswith(OPEN_PAGES):
        return None
    user: Any = request.user
    if not (user.is_authenticated and user.is_staff) or user.is_verified():
        return None
    query = urlencode({"next": request.get_full_path()})
    return HttpResponseRedirect(f"{reverse('second-factor')}?{query}")


@never_cache
def second_factor(request: HttpRequest) -> HttpResponse:
    """Set-up, the question for the code, or what there is to manage."""
    user: Any = request.user
    if not (user.is_authenticated and user.is_staff):
        return redirect_to_login(request.get_full_path(), reverse("admin:login"))
    if user.is_verified():
        return _manage(request, user)
    return _ask(request, user) if has_factor(user) else _set_up(request, user)


def remove_of_staff(user: User) -> None:
    remove_devices(user)
    _log(user, "The second factor was removed.")


def _ask(request: HttpRequest, user: User) -> HttpResponse:
    form = StaffCodeForm(request.POST or None)
    if form.is_valid():
        if device := match_code(user, form.cleaned_data["code"]):
            _let_in(request, device)
            return HttpResponseRedirect(next_page(request))
        form.add_error("code", str(WRONG))
    return _page(request, _("Second factor"), form=form)


def _set_up(request: HttpRequest, user: User) -> HttpResponse:
    form = StaffCodeForm(request.POST or None)
    device = shown_device(request.session, user)
    if form.is_valid():
        if codes := switch_on(device, form.cleaned_data["code"]):
            _log(user, "The second factor was set up.")
            _let_in(request, device)
            return _page(request, _("Your recovery codes"), codes=codes)
        form.add_error("code", str(WRONG))
    title = _("Set up the second factor")
    return _page(request, title, form=form, **key_of(device))


def _manage(request: HttpRequest, user: User) -> HttpResponse:
    if "anew" in request.POST:
        remove_of_staff(user)
        return HttpResponseRedirect(reverse("second-factor"))
    if "codes" in request.POST:
        codes = renew_codes(user)
        _log(user, "Recovery codes were made.")
        # The session may have been let in by one of the old codes.
        login(request, Authenticator.objects.filter(user=user, confirmed=True).first())
        return _page(request, _("Your recovery codes"), codes=codes)
    left = codes_left(user)
    return _page(request, _("Second factor"), is_verified=True, left=left)


def _let_in(request: HttpRequest, device: Any) -> None:
    request.session.cycle_key()
    login(request, device)


def next_page(request: HttpRequest) -> str:
    wanted = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else reverse("admin:index")


def _page(request: HttpRequest, title: str, **shown: Any) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": title, **shown}
    context["next_page"] = next_page(request)
    return TemplateResponse(request, TEMPLATE, context)


def _log(user: User, said: str) -> None:
    LogEntry.objects.log_actions(user.pk, [user], CHANGE, said)
