"""Makes and ends keys."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import KEY_PREFIX, KeyEnd, Scope
from affiliates.core.secrets.keys import new_key
from affiliates.db.api_keys import MAX_NAME
from affiliates.errors import NotFound, StateConflict, required_text
from affiliates.program.access import AccessEnd, register
from affiliates.program.services import lock_active

MAX_KEYS = 20


@transaction.atomic
def give_key(
    *,
    affiliate_id: int,
    name: str,
    scopes: Collection[Scope],
    expires_at: datetime,
    now: datetime,
) -> tuple[AffiliateKey, str]:
    """Returns the new key and its secret, which is shown only now.

    Raises StateConflict for an affiliate that is not active or has too many keys.
    """
    lock_active(affiliate_id)
    live = AffiliateKey.objects.filter(
        affiliate_id=affiliate_id, ended_at__isnull=True, expires_at__gt=now
    )
    if live.count() >= MAX_KEYS:
        raise StateConflict(
            "too_many_keys",
            _("There are {most} keys: revoke one first.").format(most=MAX_KEYS),
        )
    made = new_key(KEY_PREFIX)
    key = AffiliateKey.objects.create(
        affiliate_id=affiliate_id,
        name=required_text(name, field="name", most=MAX_NAME),
        digest=made.digest,
        hint=made.hint,
        scopes=sorted(scopes),
        created_at=now,
        expires_at=expires_at,
    )
    return key, made.secret


@transaction.atomic
def revoke_key(*, key_id: int, affiliate_id: int, now: datetime) -> AffiliateKey:
    """Raises NotFound for another affiliate's key; an ended key stays unchanged."""
    own = AffiliateKey.objects.filter(pk=key_id, affiliate_id=affiliate_id)
    own.filter(ended_at__isnull=True).update(ended_at=now, end=KeyEnd.REVOKED)
    key = own.first()
    if key is None:
        raise NotFound
    return key


def end_keys(affiliate_ids: Collection[int], *, end: KeyEnd, now: datetime) -> int:
    """Ends keys permanently: a reactivated affiliate makes new ones."""
    live = AffiliateKey.objects.filter(
        affiliate_id__in=affiliate_ids, ended_at__isnull=True
    )
    return live.update(ended_at=now, end=end)


@register
def end_access(affiliate_ids: Collection[int], why: AccessEnd, now: datetime) -> int:
    return end_keys(affiliate_ids, end=KeyEnd(why), now=now)
