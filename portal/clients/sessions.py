"""A client's session in the browser, for the pages of the shop's host."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth import login
from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.views import APIView

from portal.api.throttles import LoginThrottle
from portal.clients.login_limits import take_try
from portal.clients.models import User
from portal.clients.open_sessions import CLIENT_BACKEND, AuthToken, OpenSession
from portal.clients.services import check_credentials


def log_in(request: HttpRequest, *, brand_id: int, email: str, password: str) -> None:
    """By the API's own limits and refusals. Raises Throttled or InvalidInput."""
    require_rate(request)
    take_try(Request(request), brand_id=brand_id, email=email)
    begin(request, check_credentials(brand_id=brand_id, email=email, password=password))


def require_rate(request: HttpRequest) -> None:
    """Count what an address sends to the pages with the API's logins. Raises Throttled."""
    throttle = LoginThrottle()
    if not throttle.allow_request(Request(request), APIView()):
        raise Throttled(wait=throttle.wait())


def begin(request: HttpRequest, client: User) -> None:
    """A session of the client's under a new key; it forgives the tries before it."""
    login(request, client, backend=CLIENT_BACKEND)


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
