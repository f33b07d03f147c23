"""Finds the key of a call."""

from __future__ import annotations

from affiliates.contrib.events_api.models import BrandKey
from affiliates.core.secrets.keys import digest_of


def find_brand_key(secret: str) -> BrandKey | None:
    """Returns the live key with its brand, or None."""
    live = BrandKey.objects.filter(ended_at__isnull=True).select_related("brand")
    return live.filter(digest=digest_of(secret)).first()
