"""Authenticates a caller by one of an affiliate's keys."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from affiliates.api.http.requests import bearer_token, utc_now
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import KEY_PREFIX
from affiliates.core.secrets.keys import digest_of
from affiliates.program.rules import AffiliateStatus


class KeyAuthentication(BaseAuthentication):
    """Leaves all other bearer tokens to the host's own classes."""

    def authenticate(self, request: Request) -> tuple[Any, AffiliateKey] | None:
        secret = bearer_token(request)
        if secret is None or not secret.startswith(KEY_PREFIX):
            return None
        key = find_key(secret, now=utc_now())
        if key is None or not _may_come_in(key):
            raise AuthenticationFailed("This key is unknown, or it has ended.")
        key.note_use(now=utc_now())
        return key.affiliate.user, key


def _may_come_in(key: AffiliateKey) -> bool:
    client: Any = key.affiliate.user
    return key.affiliate.status == AffiliateStatus.ACTIVE and client.is_active


def find_key(secret: str, *, now: datetime) -> AffiliateKey | None:
    """The live key with its affiliate, brand and client; None for anything else."""
    return (
        AffiliateKey.objects.filter(
            digest=digest_of(secret), ended_at__isnull=True, expires_at__gt=now
        )
        .select_related("affiliate__brand", "affiliate__user")
        .first()
    )
