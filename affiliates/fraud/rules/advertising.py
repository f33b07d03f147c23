"""Marks of paid advertising in the address of a click. Pure."""

from __future__ import annotations

from typing import NamedTuple

from affiliates.core.urls import HttpUrl, first_parameter, parse_http_url

# Each platform writes its own into the links of the ads it is paid for.
AD_PARAMETERS = {
    "gclid": "Google Ads",
    "gbraid": "Google Ads",
    "wbraid": "Google Ads",
    "dclid": "Google Display & Video",
    "msclkid": "Microsoft Advertising",
    "ttclid": "TikTok",
    "twclid": "X",
    "li_fat_id": "LinkedIn",
}
# Facebook writes this one into the links of every post, paid for or not.
ANY_POST_PARAMETER = "fbclid"
MEDIUM = "utm_medium"
PAID_MEDIA = frozenset({"cpc", "ppc", "cpm", "cpv", "cpa", "sem"})


class AdMark(NamedTuple):
    """A parameter that tells of advertising, and who wrote it."""

    parameter: str
    written_by: str
    also_unpaid: bool = False


def paid_ad_mark(address: str) -> AdMark | None:
    """The clearest mark of paid advertising in the address, or None."""
    url = parse_http_url(address)
    if url is None:
        return None
    for name, platform in AD_PARAMETERS.items():
        if first_parameter(url, name):
            return AdMark(name, platform)
    medium = _paid_medium(url)
    if medium is not None:
        return AdMark(f"{MEDIUM}={medium}", "the maker of the link")
    if first_parameter(url, ANY_POST_PARAMETER):
        platform = "Facebook, into links of paid and of unpaid posts"
        return AdMark(ANY_POST_PARAMETER, platform, also_unpaid=True)
    return None


def _paid_medium(url: HttpUrl) -> str | None:
    medium = (first_parameter(url, MEDIUM) or "").strip().lower()
    if medium in PAID_MEDIA or medium.startswith("paid"):
        return medium
    return None
