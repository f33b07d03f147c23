"""The ways into an affiliate's account: each app registers how its own are ended."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

from django.db.models import TextChoices


class AccessEnd(TextChoices):
    """Why it ends. A suspended affiliate, and one that left, can still read its account."""

    SUSPENDED = "suspended"
    LEFT = "left"
    CREDENTIALS = "credentials"


EndAccess = Callable[[Collection[int], AccessEnd, datetime], int]
_registered: list[EndAccess] = []


def register(end: EndAccess) -> EndAccess:
    """Registers ``end(affiliate_ids, why, now)``, which returns how many keys it ended."""
    _registered.append(end)
    return end


def end_access(ids: Collection[int], *, why: AccessEnd, now: datetime) -> int:
    """Ends the ways in permanently; returns how many keys there were."""
    return sum(end(ids, why, now) for end in _registered)
