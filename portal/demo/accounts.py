"""The demonstration's accounts.

Passwords come from SECRET_KEY, so they are the same on every run, differ between
installations, and are in no file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.hashers import make_password
from django.utils.crypto import salted_hmac

from portal.clients.models import User
from portal.demo.rows import save

ADMIN_EMAIL = "admin@demo-hosting.example"
FINANCE_EMAIL = "finance@demo-hosting.example"
AFFILIATE_EMAIL = "partner@demo-hosting.example"
PASSWORD_LENGTH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    email: str
    password: str


def put_user(key: dict[str, Any], values: dict[str, Any]) -> User:
    user = User.objects.filter(**key).first() or User(**key)
    password = login(key["email"]).password
    # To check a new user's empty password takes as long as to make one.
    if not (user.password and user.check_password(password)):
        values = {**values, "password": make_password(password)}
    return save(user, {**values, "is_active": True})


def login(email: str) -> Login:
    digest = salted_hmac("portal.demo", email, algorithm="sha256").hexdigest()
    return Login(email=email, password=digest[:PASSWORD_LENGTH])
