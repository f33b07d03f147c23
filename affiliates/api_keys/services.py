"""Keys made, ended and used."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from affiliates.api_keys.models import MAX_NAME, AffiliateKey
from affiliates.api_keys.rules import (
    HINT_LENGTH,
    KEY_PREFIX,
    SECRET_BYTES,
    KeyEnd,
    Scope,
    digest_of,
)
from affiliates.core.language import gettext as _
from affiliates.errors import NotFound, StateConflict, required_text

MAX_KEYS = 20
USE_NOTED_EVERY = timedelta(hours=1)


@transaction.atomic
def create_key(
    *,
    affiliate_id: int,
    name: str,
    scopes: Collection[Scope],
    expires_at: datetime,
    now: datetime,
) -> tuple[AffiliateKey, str]:
    """The new key, and what opens the API by it: it is told this once.

    The caller holds the affiliate's row and knows that it is active. Raises StateConflict
    where it has many keys.
    """
    live = AffiliateKey.objects.filter(
        affiliate_id=affiliate_id, ended_at__isnull=True, expires_at__gt=now
    )
    if live.count() >= MAX_KEYS:
        raise StateConflict(
            "too_many_keys",
            _("There are {most} keys: revoke one first.").format(most=MAX_KEYS),
        )
    secret = KEY_PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    key = AffiliateKey.objects.create(
        affiliate_id=affiliate_id,
        name=required_text(name, field="name", most=MAX_NAME),
        digest=digest_of(secret),
        hint=secret[:HINT_LENGTH],
        scopes=sorted(scopes),
        created_at=now,
        expires_at=expires_at,
    )
    return key, secret


@transaction.atomic
def revoke_key(*, key_id: int, affiliate_id: int, now: datetime) -> AffiliateKey:
    """Raises NotFound for another's key; one that has ended stays as it is."""
    own = AffiliateKey.objects.filter(pk=key_id, affiliate_id=affiliate_id)
    own.filter(ended_at__isnull=True).update(ended_at=now, end=KeyEnd.REVOKED)
    key = own.first()
    if key is None:
        raise NotFound
    return key


def end_keys(affiliate_ids: Collection[int], *, now: datetime) -> int:
    """For good: an affiliate who is let in again makes new ones."""
    live = AffiliateKey.objects.filter(
        affiliate_id__in=affiliate_ids, ended_at__isnull=True
    )
    return live.update(ended_at=now, end=KeyEnd.SUSPENDED)


def note_use(key: AffiliateKey, *, now: datetime) -> None:
    """Once an hour, so that calls do not wait for each other."""
    if key.last_used_at is None or key.last_used_at < now - USE_NOTED_EVERY:
        unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
        AffiliateKey.objects.filter(unnoted, pk=key.pk).update(last_used_at=now)
