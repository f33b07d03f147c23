"""Confirms the identity of people who are logged in, before sensitive changes.

A login confirms it, and so does a form with the password, with a second factor also a
code. It is valid for CONFIRMATION_SECONDS in that session. Attempts are counted
together with logins.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import Throttled

from affiliates.errors import InvalidInput
from affiliates.extending.admin import widgets
from portal.clients.login_limits import try_password, wait_in_words
from portal.clients.models import User
from portal.clients.open_sessions import CONFIRMED
from portal.clients.second_factor import (
    CodeField,
    is_asked_for_code,
    match_code,
    require_code,
)
from portal.clients.validators import MAX_PASSWORD_LENGTH

PAGES = {False: "account-confirm", True: "admin-confirm"}
ASK_AGAIN = (
    "Send the client's password as current_password, or log in again: a new token needs "
    "no password at first."
)


class ConfirmForm(forms.Form):
    """Asks for the code too where the login does."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=MAX_PASSWORD_LENGTH,
        strip=False,
        widget=widgets.Password(
            attrs={"autocomplete": "current-password", "autofocus": True}
        ),
    )
    code = CodeField(widgets.TextInput(attrs={"autocomplete": "one-time-code"}))

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.POST if request.method == "POST" else None)
        user: Any = request.user
        if not is_asked_for_code(user):
            del self.fields["code"]


def question_for(request: HttpRequest) -> str | None:
    """The page that confirms the identity; None if it is confirmed already."""
    if is_confirmed(request):
        return None
    is_staff = isinstance(request.user, User) and request.user.brand_id is None
    query = urlencode({"next": request.get_full_path()})
    return f"{reverse(PAGES[is_staff])}?{query}"


def asks_first(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The view, which first leads to the page of ``question_for``."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and (page := question_for(request)):
            return HttpResponseRedirect(page)
        return view(request, *args, **kwargs)

    return answer


def is_confirmed(request: HttpRequest) -> bool:
    return _is_fresh(request.session.get(CONFIRMED))


def confirmed_at(request: HttpRequest) -> datetime:
    """When the session's password was last entered; 1970 if never."""
    return datetime.fromtimestamp(request.session.get(CONFIRMED, 0), tz=UTC)


def note_confirmed(request: Any) -> None:
    request.session[CONFIRMED] = timezone.now().timestamp()


def confirm(request: HttpRequest, form: ConfirmForm) -> bool:
    """Whether the input confirms it; otherwise the form has an error. Raises Throttled."""
    if not form.is_valid():
        return False
    user: Any = request.user
    data = form.cleaned_data
    is_right = try_password(request, user, data["password"])
    if is_right and "code" in form.fields:
        is_right = match_code(user, data["code"]) is not None
    if not is_right:
        form.add_error(None, _refusal(form))
        return False
    request.session.cycle_key()
    note_confirmed(request)
    return True


def check_identity(request: Any, password: str, code: str) -> None:
    """Accepts a fresh token, or what the login asks. Raises InvalidInput or Throttled."""
    if request.auth is not None and _is_fresh(request.auth.created.timestamp()):
        return
    if not password:
        raise InvalidInput("required", ASK_AGAIN, field="current_password")
    if not try_password(request._request, request.user, password):
        raise InvalidInput(
            "invalid_credentials", "Wrong password.", field="current_password"
        )
    require_code(request.user, code, field="current_code")


def too_many(form: forms.Form, refusal: Throttled) -> None:
    seconds: int = refusal.wait  # type: ignore[attr-defined] # the stubs forget it
    form.add_error(None, wait_in_words(seconds))


def _refusal(form: ConfirmForm) -> str:
    if "code" in form.fields:
        return _("Password or code is not right. A code holds once: wait for the next.")
    return _("Wrong password.")


def _is_fresh(confirmed_at: float | None) -> bool:
    if confirmed_at is None:
        return False
    seconds: int = settings.CONFIRMATION_SECONDS
    return timezone.now().timestamp() < confirmed_at + seconds
