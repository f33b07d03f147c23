"""Values that every endpoint reads from a request besides its body."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from affiliates.conf import conf
from affiliates.core.addresses import client_address

ORIGIN_HEADER = "HTTP_ORIGIN"
FORWARDED_FOR_HEADER = "HTTP_X_FORWARDED_FOR"


def utc_now() -> datetime:
    return datetime.now(tz=UTC)


def origin_of(request: Request) -> str | None:
    return request.META.get(ORIGIN_HEADER)


def bearer_token(request: Request) -> str | None:
    """The token of the Authorization header; None if it has another scheme, or none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else None


def address_of(request: HttpRequest) -> str:
    meta: dict[str, Any] = request.META
    return client_address(
        peer=meta.get("REMOTE_ADDR", ""),
        forwarded_for=meta.get(FORWARDED_FOR_HEADER, ""),
        trusted_proxies=conf.trusted_proxies,
    )


def client_id_of(request: Request) -> str:
    """The authenticated client's id; views that call it require credentials."""
    if request.user.pk is None:
        raise NotAuthenticated
    return str(request.user.pk)
