"""The words of the program, and an affiliate's link as a plain value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from affiliates.core.enums import LabelledEnum

LINK_HASH = re.compile(r"[0-9a-f]{40}")
CODE = re.compile(r"[a-z0-9][a-z0-9-]{1,30}[a-z0-9]")
# What other systems call links: WHMCS by a number.
OLD_CODE = re.compile(r"[a-z0-9_.-]{1,32}")


class AffiliateStatus(LabelledEnum):
    PENDING = "pending", "Pending"
    ACTIVE = "active", "Active"
    SUSPENDED = "suspended", "Suspended"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFacts:
    """Whom a link or code belongs to. ``link_id`` and ``target_url`` are empty for a code."""

    affiliate_id: int
    status: AffiliateStatus
    link_id: int | None = None
    target_url: str = ""


def normalise_token(value: str) -> str | None:
    """A link hash or code as stored, or None when it can be neither.

    Each code of an affiliate could be an old one as well.
    """
    token = value.strip().lower()
    if LINK_HASH.fullmatch(token) or OLD_CODE.fullmatch(token):
        return token
    return None


def tokens_in(address: str) -> set[str]:
    """What an address may name a link or affiliate by; nothing for any other text."""
    if "/" not in address:
        return set()
    parts = urlsplit(address.strip())
    queries = (parts.query, parts.fragment.rpartition("?")[-1])
    values = {value for query in queries for _, value in parse_qsl(query)}
    return {one.lower() for one in values | set(parts.path.split("/")) if one}
