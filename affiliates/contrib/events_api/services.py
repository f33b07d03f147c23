"""Makes and ends the keys of brands."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.views.decorators.debug import sensitive_variables

from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.rules import KEY_PREFIX
from affiliates.core.secrets.keys import new_key


@sensitive_variables()
def give_brand_key(key: BrandKey, *, actor_id: Any, now: datetime) -> str:
    """Stores a new key of which name, brand and scopes are filled in.

    Returns its secret, which is shown only now.
    """
    made = new_key(KEY_PREFIX)
    key.digest, key.hint = made.digest, made.hint
    key.created_at, key.made_by_id = now, actor_id
    key.save()
    return made.secret


def revoke_brand_key(key: BrandKey, *, now: datetime) -> None:
    """Ends the key from the next call on; an ended key stays unchanged."""
    BrandKey.objects.filter(pk=key.pk, ended_at=None).update(ended_at=now)
