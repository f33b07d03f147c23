"""Staff's second factor: a code of an authenticator app, or one of ten recovery codes.

The password is asked and counted as ever (``login_limits``); this comes after it. How
often a code may be tried is django-otp's: each wrong one doubles the wait for the next.
"""

from __future__ import annotations

import hashlib
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Callable
from secrets import token_bytes
from textwrap import wrap
from typing import Any

import segno
from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django_otp import login
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

from affiliates.admin_tools import widgets
from portal.clients.authenticators import Authenticator
from portal.clients.models import User
from portal.clients.security_log import note_code

ADMIN_PATH = "/admin/"
OPEN_PAGES = ("login/", "logout/", "jsi18n/", "second-factor/")
CODE_DIGITS = 6
RECOVERY_CODES = 10
# So many that nobody finds a code by its digest: it needs no slow hash and no key, and
# opens no matter which keys are lost. Base32 writes them as 24 characters.
RECOVERY_CODE_BYTES = 15
MAX_CODE_LENGTH = 32
# django-otp stores 16 characters.
DIGEST_BYTES = 12
WRONG = gettext_lazy(
    "This code is not right, was used before, or its 30 seconds are over. Wait for the "
    "next code: each wrong one doubles the wait. If none is right, set the clock of your phone."
)
TEMPLATE = "admin/portal/second_factor.html"


class SecondFactorMiddleware:
    """Leads staff who have given their password alone to the page for the code."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        if not _is_asked_on(request.path_info):
            return self.get_response(request)
        if self._is_async:
            return self._answer_async(request)
        return _lead(request) or self.get_response(request)

    async def _answer_async(self, request: HttpRequest) -> Any:
        return await sync_to_async(_lead)(request) or await self.get_response(request)


class CodeField(forms.CharField):
    """A code however it is typed: in groups, in capitals."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(
            label=gettext_lazy("Code"),
            max_length=MAX_CODE_LENGTH,
            widget=widgets.TextInput(
                attrs={"autocomplete": "one-time-code", **attrs},
            ),
        )

    def to_python(self, value: Any) -> str:
        code: str = super().to_python(value) or ""
        return code.replace(" ", "").replace("-", "").lower()


class CodeForm(forms.Form):
    code = CodeField(autofocus=True)


@never_cache
def second_factor(request: HttpRequest) -> HttpResponse:
    """Set-up, the question for the code, or what there is to manage."""
    user: Any = request.user
    if not (user.is_authenticated and user.is_staff):
        return redirect_to_login(request.get_full_path(), reverse("admin:login"))
    if user.is_verified():
        return _manage(request, user)
    if Authenticator.objects.filter(user=user, confirmed=True).exists():
        return _ask(request, user)
    return _set_up(request, user)


@transaction.atomic
def match_code(user: User, code: str) -> Any:
    """The device whose code it is, or None. A code holds once."""
    is_of_app = len(code) == CODE_DIGITS
    model, token = (Authenticator, code) if is_of_app else (StaticDevice, _digest(code))
    devices = model.objects.select_for_update(no_key=True).filter(
        user=user, confirmed=True
    )
    device = next((one for one in devices if one.verify_token(token)), None)
    note_code(user, is_right=device is not None)
    return device


@transaction.atomic
def confirm_device(user: User, code: str) -> Any:
    """The authenticator that was shown, once it has made a right code; else None."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if Authenticator.objects.filter(user=user, confirmed=True).exists():
        return None
    device = _shown_device(user)
    is_right = device.verify_token(code)
    note_code(user, is_right=is_right)
    if not is_right:
        return None
    device.confirmed = True
    device.save(update_fields=["confirmed"])
    _log(user, "The second factor was set up.")
    return device


@transaction.atomic
def renew_codes(user: User) -> list[str]:
    """Ten recovery codes, each good for one login, in place of those there were."""
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="Recovery codes")
    codes = [
        b32encode(token_bytes(RECOVERY_CODE_BYTES)).decode().lower()
        for _number in range(RECOVERY_CODES)
    ]
    StaticToken.objects.bulk_create(
        StaticToken(device=device, token=_digest(code)) for code in codes
    )
    _log(user, "Recovery codes were made.")
    return ["-".join(wrap(code, 4)) for code in codes]


@transaction.atomic
def remove_devices(user: User) -> None:
    """They set up a second factor anew at the next login."""
    Authenticator.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    _log(user, "The second factor was removed.")


def _digest(code: str) -> str:
    digest = hashlib.sha256(code.encode()).digest()
    return urlsafe_b64encode(digest[:DIGEST_BYTES]).decode()


def _is_asked_on(path: str) -> bool:
    if not (path.startswith(ADMIN_PATH) and settings.STAFF_SECOND_FACTOR):
        return False
    return not path.removeprefix(ADMIN_PATH).startswith(OPEN_PAGES)


def _lead(request: HttpRequest) -> HttpResponse | None:
    user: Any = request.user
    if not (user.is_authenticated and user.is_staff) or user.is_verified():
        return None
    query = urlencode({"next": request.get_full_path()})
    return HttpResponseRedirect(f"{reverse('second-factor')}?{query}")


def _ask(request: HttpRequest, user: User) -> HttpResponse:
    form = CodeForm(request.POST or None)
    if form.is_valid():
        if device := match_code(user, form.cleaned_data["code"]):
            _let_in(request, device)
            return HttpResponseRedirect(_next_page(request))
        form.add_error("code", str(WRONG))
    return _page(request, _("Second factor"), form=form)


def _set_up(request: HttpRequest, user: User) -> HttpResponse:
    form = CodeForm(request.POST or None)
    if form.is_valid():
        if device := confirm_device(user, form.cleaned_data["code"]):
            _let_in(request, device)
            return _page(request, _("Your recovery codes"), codes=renew_codes(user))
        form.add_error("code", str(WRONG))
    device = _shown_device(user)
    drawn = segno.make(device.config_url).svg_inline(
        scale=5, light="white", title=_("The key as a QR code")
    )
    return _page(
        request,
        _("Set up the second factor"),
        form=form,
        key=b32encode(device.bin_key).decode(),
        drawn=mark_safe(drawn),  # noqa: S308 - drawn here, of nothing that anybody wrote
    )


def _manage(request: HttpRequest, user: User) -> HttpResponse:
    if "anew" in request.POST:
        remove_devices(user)
        return HttpResponseRedirect(reverse("second-factor"))
    if "codes" in request.POST:
        codes = renew_codes(user)
        # The session may have been let in by one of the old codes.
        login(request, Authenticator.objects.filter(user=user, confirmed=True).first())
        return _page(request, _("Your recovery codes"), codes=codes)
    left = StaticToken.objects.filter(device__user=user).count()
    return _page(request, _("Second factor"), is_verified=True, left=left)


def _shown_device(user: User) -> Any:
    unconfirmed = Authenticator.objects.filter(user=user, confirmed=False).order_by(
        "pk"
    )
    return unconfirmed.first() or Authenticator.objects.create(
        user=user, name="Authenticator", confirmed=False
    )


def _let_in(request: HttpRequest, device: Any) -> None:
    request.session.cycle_key()
    login(request, device)


def _next_page(request: HttpRequest) -> str:
    wanted = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else reverse("admin:index")


def _page(request: HttpRequest, title: str, **shown: Any) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": title, **shown}
    context["next_page"] = _next_page(request)
    return TemplateResponse(request, TEMPLATE, context)


def _log(user: User, said: str) -> None:
    LogEntry.objects.log_actions(user.pk, [user], CHANGE, said)
