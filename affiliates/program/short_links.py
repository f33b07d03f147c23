"""Short links: where a brand's link host leads.

Nothing is recorded there. The page that it leads to has the script, which reports the
visit by the name in the page's address.
"""

from __future__ import annotations

from functools import partial
from urllib.parse import unquote

from affiliates.brands.links import other_pairs, with_pairs
from affiliates.brands.rules import BrandConfig
from affiliates.core.domains import client_area_url, entry_allows_origin, parse_origin
from affiliates.core.redirects import judge_target
from affiliates.core.urls import HttpUrl, parse_http_url
from affiliates.db.deadlines.aside import aside
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import LinkFacts
from affiliates.program.selectors import find_link


def short_link_target(url: HttpUrl, *, brand: BrandConfig) -> str:
    """The target of the link or code that the path names, with the visitor's parameters.

    The default redirect URL, if it names nobody.
    """
    pairs = other_pairs(url, parameter=brand.link_parameter, others=())
    link = find_link(brand_id=brand.id, token=unquote(url.pathname).lstrip("/"))
    name = None if link is None else aside(partial(_name_of, link))
    if link is None or name is None:
        return with_pairs(brand.default_redirect_url, pairs)
    named = [f"{brand.link_parameter}={name}", *pairs]
    return with_pairs(_landing(link, name, brand), named)


def _name_of(link: LinkFacts) -> str | None:
    """Its hash, or the affiliate's code."""
    if link.link_id is None:
        codes = Affiliate.objects.filter(pk=link.affiliate_id)
        return codes.values_list("code", flat=True).first()
    hashes = AffiliateLink.objects.filter(pk=link.link_id)
    return hashes.values_list("hash", flat=True).first()


def _landing(link: LinkFacts, name: str, brand: BrandConfig) -> str:
    """A page with the script: the target, or else the page of links in the client area."""
    target = brand.default_redirect_url
    if link.target_url:
        judged = judge_target(
            link.target_url,
            visit_url=None,
            domains=brand.domains,
            require_https=brand.require_https,
        )
        target = judged.url or target
    page = parse_http_url(target)
    origin = parse_origin(None if page is None else page.origin)
    if origin and any(entry_allows_origin(entry, origin) for entry in brand.domains):
        return target
    area = client_area_url(brand.domains, require_https=brand.require_https)
    return target if area is None else f"{area}{brand.link_place}/{name}"
