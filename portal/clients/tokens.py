"""``Authorization: Bearer <token>``: the client or guest who speaks."""

from __future__ import annotations

import re
from typing import cast

from django.db.models import Q
from django.utils import timezone
from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from portal.clients.models import User
from portal.clients.open_sessions import AuthToken

AUTH_SCHEME = "Bearer"
TOKEN = re.compile(rb"[0-9a-f]{64}")


class BearerAuthentication(TokenAuthentication):  # type: ignore[misc] # knox is untyped
    """Finds tokens in one query, and only those of a client whose brand is active."""

    def authenticate(self, request: Request) -> tuple[User, AuthToken] | None:
        try:
            credentials: tuple[User, AuthToken] | None = super().authenticate(request)
        except UnicodeError as error:
            raise _invalid_token() from error
        return credentials

    def authenticate_credentials(self, token: bytes) -> tuple[User, AuthToken]:
        if TOKEN.fullmatch(token) is None:
            raise _invalid_token()
        tokens = AuthToken.objects.select_related("user__brand")
        now = timezone.now()
        tokens_of_client = tokens.filter(
            Q(session=None) | Q(session__expire_date__gt=now),
            digest=hash_token(token.decode("ascii")),
            expiry__gt=now,
            user__is_active=True,
            user__brand__is_active=True,
        ).first()
        if tokens_of_client is None:
            raise _invalid_token()
        return tokens_of_client.user, tokens_of_client

    def authenticate_header(self, request: Request) -> str:
        return AUTH_SCHEME


def client_of(request: Request) -> User:
    """The client or guest of an authenticated request."""
    return cast("User", request.user)


def _invalid_token() -> AuthenticationFailed:
    return AuthenticationFailed("Invalid token.")
