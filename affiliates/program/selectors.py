"""The affiliate of a client; links and codes as cached in this process."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from affiliates.adapter import get_adapter
from affiliates.brands.config_cache import CachedChange, ConfigCache
from affiliates.brands.links import END_OF_CODE, readings
from affiliates.brands.rules import ChangeKind
from affiliates.core.ids import LINK_HASH_LENGTH
from affiliates.db.deadlines.aside import aside
from affiliates.errors import NotAllowed
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import (
    LINK_HASH,
    AffiliateStatus,
    LinkFacts,
    normalise_token,
)
from affiliates.program.slug_models import retired_among

# Begins the key of a slug in the path, where codes are not looked for.
PATH = "/"
# Rows per read: the requested one and those after it in the index.
BULK = 200
NOT_AN_AFFILIATE = "not_an_affiliate"

_Key = tuple[int, str]
_Links = dict[_Key, LinkFacts | None]


def affiliate_of_client(client_id: str, *, origin_brand_id: int | None) -> Affiliate:
    """The client's own affiliate account, with its brand.

    Raises NotAllowed for a client without one and for another brand's Origin.
    """
    client = get_adapter().get_client(client_id)
    affiliate = None
    if client is not None:
        affiliate = (
            Affiliate.objects.filter(
                brand_id=client.brand_id, user_id=client.id, brand__is_active=True
            )
            .select_related("brand")
            .first()
        )
    if affiliate is None:
        raise NotAllowed(NOT_AN_AFFILIATE, "These are the credentials of no affiliate.")
    if origin_brand_id not in (None, affiliate.brand_id):
        raise NotAllowed(
            "origin_of_another_brand",
            "This belongs to another brand than the request's Origin.",
        )
    return affiliate


def open_departure(affiliate_id: int) -> AffiliateDeparture | None:
    """The departure of an affiliate that left and was not taken back, or None."""
    return AffiliateDeparture.objects.filter(
        affiliate_id=affiliate_id, ended_at__isnull=True
    ).first()


def find_link(*, brand_id: int, token: str, is_path: bool = False) -> LinkFacts | None:
    """The owner of the link or code of this brand that a text in an address names.

    The exact text first. A shorter one only where the longer was never anybody's name:
    addresses with it are published. A path names a link, never a code. Links and codes
    of a merged affiliate belong to the one it was merged into.
    """
    for name in (token,) if is_path else readings(token):
        normalised = normalise_token(name)
        if normalised is None:
            continue
        if is_path and len(normalised) != LINK_HASH_LENGTH:
            normalised = PATH + normalised
        link = _cache.get((brand_id, normalised))
        if link is not None:
            return link
        if normalised.endswith(END_OF_CODE) and aside(
            partial(_was_a_name, normalised, brand_id)
        ):
            return None
    return None


def _was_a_name(code: str, brand_id: int) -> bool:
    """Whether the code is that of a link that is switched off, or of an erased one."""
    links = AffiliateLink.objects.filter(affiliate__brand_id=brand_id, old_code=code)
    return links.exists() or bool(retired_among([code], brand_id=brand_id))


def _load(key: _Key) -> _Links:
    """Unknown tokens are cached too."""
    brand_id, token = key
    if token.startswith(PATH):
        return {key: None, **_slugs(brand_id, PATH, slug__gte=token[len(PATH) :])}
    if LINK_HASH.fullmatch(token):
        return {key: None, **_links_from(key, "hash")}
    # A current code has priority over an old code of a link, and either over a slug.
    owners = {**_links_from(key, "old_code"), **_codes_from(key)}
    return (
        owners
        if key in owners
        else {key: None, **_slugs(brand_id, slug=token), **owners}
    )


def _slugs(brand_id: int, prefix: str = "", **asked: str) -> _Links:
    links = AffiliateLink.objects.filter(
        slug_brand=brand_id, slug_is_cleared=False, **asked
    )
    owners = _facts(links, "slug")
    return {
        (brand_id, prefix + slug): facts for (brand_id, slug), facts in owners.items()
    }


def _links_from(key: _Key, name: str) -> _Links:
    # For all brands: the index has only these, so no row is read in vain.
    return _facts(AffiliateLink.objects.filter(**{f"{name}__gte": key[1]}), name)


def _facts(links: QuerySet[AffiliateLink], name: str) -> _Links:
    rows = (
        links.order_by(name)
        .values_list(
            "affiliate__brand_id", name, "is_active",
            Coalesce("affiliate__merged_into", "affiliate"),
            Coalesce("affiliate__merged_into__status", "affiliate__status"),
            "pk", "target_url",
        )[:BULK]
    )  # fmt: skip
    return {
        (brand_id, token): LinkFacts(
            affiliate_id=affiliate_id,
            status=AffiliateStatus(status),
            link_id=link_id,
            target_url=target_url,
        )
        if is_active
        else None
        for brand_id, token, is_active, affiliate_id, status, link_id, target_url in rows
    }


def _codes_from(key: _Key) -> _Links:
    brand_id, code = key
    rows = (
        Affiliate.objects.filter(brand_id=brand_id, code__gte=code)
        .order_by("code")
        .values_list(
            "code",
            Coalesce("merged_into", "pk"),
            Coalesce("merged_into__status", "status"),
        )[:BULK]
    )
    return {
        (brand_id, code): LinkFacts(
            affiliate_id=affiliate_id, status=AffiliateStatus(status)
        )
        for code, affiliate_id, status in rows
    }


def _untouched(links: _Links, changes: Collection[CachedChange]) -> _Links:
    """Drops links with the new token, and those that had the old one."""
    tokens = {change.token for change in changes if change.token}
    ids = {(change.kind, change.subject_id) for change in changes}
    return {
        key: facts
        for key, facts in links.items()
        if key[1].removeprefix(PATH) not in tokens
        and (
            facts is None
            or (
                (ChangeKind.AFFILIATE, facts.affiliate_id) not in ids
                and (ChangeKind.LINK, facts.link_id) not in ids
            )
        )
    }


_cache = ConfigCache(_load, _untouched)


def owned_by(affiliate_id: int) -> Q:
    """Rows of the affiliate, and of those that were merged into it."""
    return Q(affiliate=affiliate_id) | Q(affiliate__merged_into=affiliate_id)
