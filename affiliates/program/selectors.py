"""Links and codes as this process knows them, as fresh as the brands are."""

from __future__ import annotations

from uuid import UUID

from affiliates.brands.selectors import configuration_version
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import (
    LINK_HASH,
    AffiliateStatus,
    LinkFacts,
    normalise_token,
)

MAX_CACHED_LINKS = 100_000


class _Links:
    """What the tokens asked for so far stand for, unknown ones included."""

    def __init__(self, version: UUID | None) -> None:
        self.version = version
        self.by_token: dict[tuple[int, str], LinkFacts | None] = {}


class _NotAsked:
    """Apart from None, which is known to stand for nobody."""


_links = _Links(None)
_NOT_ASKED = _NotAsked()


def find_link(*, brand_id: int, token: str) -> LinkFacts | None:
    """Whom a link hash or an affiliate's code of this brand belongs to, or None."""
    normalised = normalise_token(token)
    if normalised is None:
        return None
    links = _current_links().by_token
    key = (brand_id, normalised)
    facts = links.get(key, _NOT_ASKED)
    if isinstance(facts, _NotAsked):
        facts = _load(brand_id, normalised)
        if len(links) >= MAX_CACHED_LINKS:
            links.clear()
        links[key] = facts
    return facts


def _current_links() -> _Links:
    global _links
    version = configuration_version()
    if _links.version != version:
        _links = _Links(version)
    return _links


def _load(brand_id: int, token: str) -> LinkFacts | None:
    if LINK_HASH.fullmatch(token):
        return _load_link(brand_id, token)
    return _load_code(brand_id, token)


def _load_link(brand_id: int, link_hash: str) -> LinkFacts | None:
    link = (
        AffiliateLink.objects.filter(
            affiliate__brand_id=brand_id, hash=link_hash, is_active=True
        )
        .select_related("affiliate")
        .first()
    )
    if link is None:
        return None
    return LinkFacts(
        affiliate_id=link.affiliate_id,
        status=AffiliateStatus(link.affiliate.status),
        link_id=link.pk,
        target_url=link.target_url,
    )


def _load_code(brand_id: int, code: str) -> LinkFacts | None:
    affiliate = Affiliate.objects.filter(brand_id=brand_id, code=code).first()
    if affiliate is None:
        return None
    return LinkFacts(
        affiliate_id=affiliate.pk,
        status=AffiliateStatus(affiliate.status),
        link_id=None,
        target_url="",
    )
