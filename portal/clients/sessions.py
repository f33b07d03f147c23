"""A client's session in the browser, for the pages of the shop's host."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import login
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.views import APIView

from portal.api.throttles import LoginThrottle
from portal.clients.backends import ClientBackend
from portal.clients.login_limits import take_try
from portal.clients.models import User
from portal.clients.open_sessions import CLIENT_BACKEND, AuthToken, OpenSession
from portal.clients.second_factor import is_asked_for_code, match_code
from portal.clients.security_log import note_confirmed
from portal.clients.services import check_credentials

# In a session's data: the client whose code is missing after the password.
HALF = "half_login"
HALF_LASTS = timedelta(minutes=5)


def log_in(request: HttpRequest, *, brand_id: int, email: str, password: str) -> bool:
    """By the API's own limits and refusals. Raises Throttled or InvalidInput.

    False: ``finish_login`` has to be given a code within ``HALF_LASTS``.
    """
    require_rate(request)
    take_try(Request(request), brand_id=brand_id, email=email)
    client = check_credentials(brand_id=brand_id, email=email, password=password)
    if not is_asked_for_code(client):
        begin(request, client)
        return True
    note_confirmed(client)
    request.session.cycle_key()
    request.session[HALF] = {
        "user": str(client.pk),
        "at": timezone.now().timestamp(),
        "hash": client.get_session_auth_hash(),
    }
    return False


def half_logged_in(request: HttpRequest, *, brand_id: int) -> User | None:
    """The client whose code is missing; None if that took too long or has ended."""
    half: dict[str, Any] = request.session.get(HALF, {})
    if not half or _age(half["at"]) >= HALF_LASTS:
        return None
    client = ClientBackend().get_user(half["user"])
    if client is None or client.brand_id != brand_id:
        return None
    # Another password, or a log-out everywhere, ends it.
    is_same = constant_time_compare(half["hash"], client.get_session_auth_hash())
    return client if is_same else None


def finish_login(request: HttpRequest, client: User, code: str) -> bool:
    """Whether the code lets in the client of ``half_logged_in``. Raises Throttled."""
    require_rate(request)
    if match_code(client, code) is None:
        return False
    del request.session[HALF]
    begin(request, client)
    return True


def require_rate(request: HttpRequest) -> None:
    """Count what an address sends to the pages with the API's logins. Raises Throttled."""
    throttle = LoginThrottle()
    if not throttle.allow_request(Request(request), APIView()):
        raise Throttled(wait=throttle.wait())


def begin(request: HttpRequest, client: User) -> None:
    """A session of the client's under a new key; it forgives the tries before it."""
    login(request, client, backend=CLIENT_BACKEND)


def _age(moment: float) -> timedelta:
    return timedelta(seconds=timezone.now().timestamp() - moment)


def client_of_session(request: HttpRequest) -> User | None:
    """None for staff, whose session is the admin's, and for nobody."""
    user = request.user
    return user if isinstance(user, User) and user.brand_id is not None else None


def delete_expired(*, now: datetime) -> str:
    """The worker's job: nobody else takes them, or tokens, out of the database."""
    sessions, _ = OpenSession.objects.filter(expire_date__lt=now).delete()
    tokens, _ = AuthToken.objects.filter(expiry__lt=now).delete()
    if not (sessions or tokens):
        return ""
    return f"{sessions:,} expired sessions and {tokens:,} expired tokens deleted."
