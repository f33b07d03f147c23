"""Authenticators of clients, and the codes that they show."""

from __future__ import annotations

from datetime import UTC, datetime

from django.test import Client
from django_otp.oath import totp

from portal.clients.authenticators import Authenticator
from portal.clients.models import User
from tests.factories.portal import PASSWORD

SHOP = "shop.example.com"
# In the middle of a code's 30 seconds.
NOW = datetime(2026, 3, 1, 12, 0, 15, tzinfo=UTC)
PAGE = "/account/second-factor"
CODE_PAGE = "/login/code"


def authenticator_of(user: User) -> Authenticator:
    return Authenticator.objects.create(user=user, name="Phone", confirmed=True)


def code_of(device: Authenticator) -> str:
    return f"{totp(device.bin_key):06}"


def browser(host: str = SHOP, *, at: str = "127.0.0.1") -> Client:
    return Client(headers={"host": host}, REMOTE_ADDR=at)


def give_password(user: User, password: str = PASSWORD, **place: str) -> Client:
    """A browser after the password: of an account with a second factor half logged in."""
    person = browser(**place)
    person.post("/login", {"email": user.email, "password": password})
    return person


def log_in(user: User, device: Authenticator) -> Client:
    person = give_password(user)
    answer = person.post(CODE_PAGE, {"code": code_of(device)})
    assert answer.status_code == 302
    return person


def is_in(person: Client) -> bool:
    return person.get("/account").status_code == 200
