"""A client's second factor: the code of a login, setting it up, and managing it."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from rest_framework.exceptions import Throttled

from portal.clients import sessions
from portal.clients.confirmation import asks_first
from portal.clients.models import User
from portal.clients.second_factor import (
    WRONG,
    CodeForm,
    codes_left,
    has_factor,
    key_of,
    remove_devices,
    renew_codes,
    shown_device,
    switch_on,
)
from portal.storefront.account import next_page, of_client, too_many
from portal.storefront.hosts import brand_of, client_of_page
from portal.storefront.views import page, require_storefront

PAGE, AREA_PATH = "second_factor", "/affiliate/"
# Signing out, the language, what other pages embed, and looks of staff.
OPEN_PAGES = ("sign-out", "language", "brand.css", "images/", "look/")
LOOK_COOKIE = "affiliates_look"


def lead(request: HttpRequest) -> HttpResponse | None:
    """Leads affiliates who have no second factor to its set-up, where it is demanded."""
    path = request.path_info.removeprefix(AREA_PATH)
    # Of staff, in whose browser an affiliate is logged in: the area judges it.
    look = f"__Host-{LOOK_COOKIE}" if request.is_secure() else LOOK_COOKIE
    is_open = path.startswith(OPEN_PAGES) or bool(request.COOKIES.get(look))
    if is_open or not _is_missing(request):
        return None
    query = urlencode({"next": request.get_full_path()})
    return HttpResponseRedirect(f"{reverse('account-second-factor')}?{query}")


@never_cache
@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
def log_in_code(request: HttpRequest) -> HttpResponse:
    """After the password, for accounts with a second factor."""
    require_storefront(request)
    wanted = next_page(request)
    client = sessions.half_logged_in(request, brand_id=brand_of(request))
    if client is None and client_of_page(request) is not None:
        return HttpResponseRedirect(wanted)
    if client is None:
        query = urlencode({"next": wanted, "ended": "1"})
        return HttpResponseRedirect(f"{reverse('client-login-page')}?{query}")
    form = CodeForm(request.POST if request.method == "POST" else None)
    show = partial(page, request, "login_code", form=form, next_page=wanted)
    if not form.is_bound:
        return show()
    try:
        if form.is_valid() and sessions.finish_login(
            request, client, form.cleaned_data["code"]
        ):
            return HttpResponseRedirect(wanted)
    except Throttled as refusal:
        return too_many(refusal, form, show)
    return _refused(form, show)


@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
@of_client
@asks_first
def second_factor(request: HttpRequest, client: User) -> HttpResponse:
    view = _manage if has_factor(client) else _set_up
    return view(request, client)


def _set_up(request: HttpRequest, client: User) -> HttpResponse:
    form = CodeForm(request.POST if request.method == "POST" else None)
    device = shown_device(request.session, client)
    show = partial(
        _page,
        request,
        form=form,
        is_demanded=_is_missing(request),
        is_off="off" in request.GET,
        **key_of(device),
    )
    if not form.is_bound:
        return show()
    try:
        sessions.require_rate(request)
    except Throttled as refusal:
        return too_many(refusal, form, show)
    codes = form.is_valid() and switch_on(device, form.cleaned_data["code"])
    if not codes:
        return _refused(form, show)
    # All sessions have ended; this browser goes on in a new one.
    client.refresh_from_db(fields=["logged_out_at"])
    update_session_auth_hash(request, client)
    return _page(request, codes=codes, is_new=True)


def _manage(request: HttpRequest, client: User) -> HttpResponse:
    if "off" in request.POST:
        remove_devices(client)
        return HttpResponseRedirect(f"{reverse('account-second-factor')}?off")
    if "codes" in request.POST:
        return _page(request, codes=renew_codes(client))
    return _page(request, is_on=True, left=codes_left(client))


def _page(request: HttpRequest, *, status: int = 200, **shown: Any) -> HttpResponse:
    return page(request, PAGE, status=status, next_page=next_page(request), **shown)


def _refused(form: CodeForm, show: partial[HttpResponse]) -> HttpResponse:
    if form.is_valid():
        form.add_error("code", str(WRONG))
    return show(status=400)


def _is_missing(request: HttpRequest) -> bool:
    client = client_of_page(request)
    return (
        settings.AFFILIATE_SECOND_FACTOR
        and client is not None
        and client.affiliate_profiles.exists()
        and not has_factor(client)
    )
