from __future__ import annotations

from datetime import datetime

from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import digest_of


def find_key(secret: str, *, now: datetime) -> AffiliateKey | None:
    """The live key with its affiliate, brand and client; None for anything else."""
    return (
        AffiliateKey.objects.filter(
            digest=digest_of(secret), ended_at__isnull=True, expires_at__gt=now
        )
        .select_related("affiliate__brand", "affiliate__user")
        .first()
    )
