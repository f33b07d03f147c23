"""How many tries at a password an account takes: clients' and staff's alike.

A try is counted, and committed, before the password is looked at; then all that were
counted are added up: parallel tries cannot pass more than the limit. Who guesses at an
account is delayed, its owner is not: an address from which the account logged in lately
has tries of its own.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import ngettext
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from portal.api.throttles import UNKNOWN, client_network
from portal.clients.models import User
from portal.clients.security_log import note_confirmed, note_login_failed
from portal.ids import new_id

ADDRESS_KNOWN_FOR = timedelta(days=30)
MAX_ACCOUNT_LENGTH = 255

Credentials = dict[str, Any]


def take_try(request: Request, *, brand_id: int, email: str) -> None:
    """Count a client's try. Raises Throttled when there were too many."""
    client = {"email": email, "brand_id": brand_id}
    if not AxesProxyHandler.is_allowed(request._request, client):
        raise Throttled(wait=_cool_off().total_seconds())


def try_password(request: HttpRequest, user: User, password: str) -> bool:
    """Whether it is the user's password. Counted like a login. Raises Throttled."""
    account = _account(user)
    if not AxesProxyHandler.is_allowed(request, account):
        raise Throttled(wait=_cool_off().total_seconds())
    if not user.check_password(password):
        note_login_failed(__name__, account)
        return False
    note_confirmed(user)
    AxesProxyHandler.get_implementation().forgive(request, account)
    return True


def forgive_tries(request: Request, *, brand_id: int, email: str) -> None:
    """The password was right, or a new one was set."""
    client = {"email": email, "brand_id": brand_id}
    AxesProxyHandler.update_request(request._request)
    AxesProxyHandler.get_implementation().forgive(request._request, client)


class LoginHandler(AxesDatabaseHandler):  # type: ignore[misc] # axes is untyped
    """Axes' own, but that it counts tries before they are made, not failures after."""

    def is_allowed(self, request: Any, credentials: Credentials | None = None) -> bool:
        if not super().is_allowed(request, credentials):
            return False
        self.clean_expired_user_attempts(request)
        AccessAttempt.objects.create(
            username=get_client_username(request, credentials),
            ip_address=request.axes_ip_address,
            # Part of axes' key: each try is a row, so that none waits for another.
            user_agent=str(new_id()),
            failures_since_start=1,
        )
        tries: int = self.get_failures(request, credentials)
        return tries <= settings.AXES_FAILURE_LIMIT

    def user_login_failed(self, *args: Any, **kwargs: Any) -> None:
        """It was counted before."""

    def user_logged_in(
        self, sender: Any, request: Any, user: Any, **kwargs: Any
    ) -> None:
        self.forgive(request, _account(user))

    def user_logged_out(self, *args: Any, **kwargs: Any) -> None:
        """Nothing to keep."""

    def forgive(self, request: Any, credentials: Credentials) -> None:
        own = {
            "username": get_client_username(request, credentials),
            "ip_address": request.axes_ip_address,
        }
        AccessAttempt.objects.filter(**own).delete()
        if own["ip_address"] is None:
            return
        now = timezone.now()
        if not AccessLog.objects.filter(**own).update(attempt_time=now):
            AccessLog.objects.create(**own)
            AccessLog.objects.filter(attempt_time__lt=now - ADDRESS_KNOWN_FOR).delete()


def account_of(request: HttpRequest, credentials: Credentials | None) -> str:
    """An e-mail is another account with each brand, and one for staff."""
    typed = credentials or {}
    account = f"{typed.get('brand_id', '')}:{typed.get('email') or ''}"
    return account.lower()[:MAX_ACCOUNT_LENGTH]


def address_of(request: Any) -> str | None:
    """None where it says nothing: loopback is the operator, or a proxy."""
    network = client_network(BaseThrottle().get_ident(request) or "")
    return None if network in {None, UNKNOWN} else str(network).partition("/")[0]


def counted_together(
    request: Any, credentials: Credentials | None
) -> list[str | list[str]]:
    """Whose tries are added up, in axes' words: each entry has the limit of its own."""
    own = {
        "username": account_of(request, credentials),
        "ip_address": request.axes_ip_address,
    }
    since = timezone.now() - ADDRESS_KNOWN_FOR
    if own["ip_address"] is None:
        return ["username"]
    if AccessLog.objects.filter(**own, attempt_time__gte=since).exists():
        return [["username", "ip_address"]]
    if "brand_id" in (credentials or {}):
        # Many clients may share an address; LoginThrottle limits those.
        return ["username"]
    return ["username", "ip_address"]


def locked_out(
    request: HttpRequest, response: HttpResponse, credentials: Credentials | None
) -> HttpResponse:
    """The page of the admin that says what to do."""
    context = {
        **admin.site.each_context(request),
        "title": "Too many tries",
        "minutes": _cool_off() // timedelta(minutes=1),
    }
    answer = render(request, "admin/portal/locked_out.html", context, status=429)
    answer["Retry-After"] = str(int(_cool_off().total_seconds()))
    return answer


def wait_in_words(seconds: int) -> str:
    minutes = -(-seconds // 60)
    return ngettext(
        "Too many tries. Wait a minute, then try again.",
        "Too many tries. Wait %(minutes)d minutes, then try again.",
        minutes,
    ) % {"minutes": minutes}


def _account(user: User) -> Credentials:
    """Without its brand a client's e-mail would be that of staff."""
    brand = {} if user.brand_id is None else {"brand_id": user.brand_id}
    return {"email": user.get_username(), **brand}


def _cool_off() -> timedelta:
    return settings.AXES_COOLOFF_TIME
