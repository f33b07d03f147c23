"""Faults and banned domains in the referrer of a click. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

from affiliates.core.domains import domain_above
from affiliates.core.urls import parse_http_url

# A longer one is stored in part.
WHOLE_BELOW = 2048
# Browsers encode these or turn them round.
NEVER = re.compile(r"[^\x21-\x7e]|\\")


class ReferrerFault(StrEnum):
    """Why a browser cannot have given a referrer."""

    FRAGMENT = "fragment"
    CREDENTIALS = "credentials"
    SPELLING = "spelling"


def referrer_fault(referrer: str) -> ReferrerFault | None:
    """The fault of an http(s) address that no browser gives as a referrer.

    Browsers cut off fragment and credentials, and write a host in lower case with a
    slash after it. Other texts are not judged.
    """
    url = parse_http_url(referrer)
    if url is None or len(referrer) >= WHOLE_BELOW:
        return None
    if url.credentials:
        return ReferrerFault.CREDENTIALS
    if "#" in url.href:
        return ReferrerFault.FRAGMENT
    # Browsers of different years encode different characters of path and query.
    is_spelt = referrer.startswith(f"{url.origin}/") and not NEVER.search(referrer)
    return None if is_spelt else ReferrerFault.SPELLING


def banned_domain(referrer: str, banned: Collection[str]) -> str | None:
    """The banned domain that the referrer's host is at or below, or None."""
    url = parse_http_url(referrer) if banned else None
    return None if url is None else domain_above(url.hostname, banned)
