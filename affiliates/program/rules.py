"""The terms of the program, and an affiliate's link as a plain value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from django.db.models import TextChoices

from affiliates.brands import links

LINK_HASH = re.compile(links.HASH)
# The values of broken links: a template that was not filled in, ?ref=null.
RESERVED_CODES = frozenset("false nan nil none null true undefined".split())  # noqa: SIM905 - read as words
# Dots and underscores are in the codes of other systems.
CODE = re.compile(
    rf"(?!(?:{'|'.join(sorted(RESERVED_CODES))})\Z)[a-z0-9_][a-z0-9._-]{{1,30}}[a-z0-9_]"
)
# The identifiers of links in other systems; WHMCS uses a number.
OLD_CODE = re.compile(r"[a-z0-9_.-]{1,32}")
SLUG = re.compile(links.SLUG)
# A link of this name would look like a page of the brand's own.
RESERVED_SLUGS = frozenset(
    """about abuse account admin administrator affiliate affiliates api billing blog
    checkout contact default domain domains email help home hosting imprint info invoice
    legal login logout news official order orders partner partners password payment
    payments paypal plans press pricing privacy profile program refund register sales
    security service settings shop signin signup staff start status store support system
    team terms test webmail www""".split()  # noqa: SIM905 - read as words
).union(RESERVED_CODES)


class AffiliateStatus(TextChoices):
    PENDING = "pending", "Pending"
    ACTIVE = "active", "Active"
    SUSPENDED = "suspended", "Suspended"
    LEFT = "left", "Left"

    @property
    def is_paid(self) -> bool:
        """Whether it is paid what it has earned: nothing new is credited once it left."""
        return self in (AffiliateStatus.ACTIVE, AffiliateStatus.LEFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFacts:
    """The owner of a link or code. A code has no ``link_id`` or ``target_url``."""

    affiliate_id: int
    status: AffiliateStatus
    link_id: int | None = None
    target_url: str = ""


def normalise_token(value: str) -> str | None:
    """A link hash or code as stored, or None if it can be neither.

    Every affiliate's code also has the form of an old code.
    """
    token = value.strip().lower()
    if token in RESERVED_CODES:
        return None
    if LINK_HASH.fullmatch(token) or OLD_CODE.fullmatch(token):
        return token
    return None


def tokens_in(address: str) -> set[str]:
    """The parts of an address that may name a link or affiliate; else empty."""
    if "/" not in address:
        return set()
    parts = urlsplit(address.strip())
    queries = (parts.query, parts.fragment.rpartition("?")[-1])
    values = {value for query in queries for _, value in parse_qsl(query)}
    texts = values | {*parts.path.split("/"), *parts.fragment.split("/")}
    return {name.lower() for text in texts for name in links.readings(text) if name}
