"""Marks of paid advertising in the address of a click. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from affiliates.core.urls import HttpUrl, first_parameter, parse_http_url

# Each platform writes its own into the links of the ads it is paid for. Of these lists:
# https://github.com/AdguardTeam/AdguardFilters (TrackParamFilter) and
# https://github.com/brave/brave-core (components/query_filter).
AD_PARAMETERS = {
    "gclid": "Google Ads",
    "gbraid": "Google Ads",
    "wbraid": "Google Ads",
    "gad_source": "Google Ads",
    "gad_campaignid": "Google Ads",
    "gclsrc": "Google Ads",
    "dclid": "Google Display & Video",
    "msclkid": "Microsoft Advertising",
    "ttclid": "TikTok",
    "twclid": "X",
    "li_fat_id": "LinkedIn",
    "ScCid": "Snapchat",
    "rdt_cid": "Reddit",
    "qclid": "Quora",
    "yclid": "Yandex Direct",
    "rb_clickid": "VK Ads",
    "tblci": "Taboola",
    "dicbo": "Outbrain",
    "vmcid": "Yahoo",
    "ef_id": "Adobe Advertising",
    "s_kwcid": "Adobe Advertising",
    "hsa_acc": "HubSpot, for paid advertising",
}
# Facebook writes this one into the links of every post, paid for or not.
ANY_POST_PARAMETER = "fbclid"
MEDIUM = "utm_medium"
WORDS = re.compile(r"[a-z]+")
# Words of a medium, as in "social-cpc". Google Analytics groups by them:
# https://support.google.com/analytics/answer/9756891
PAID_MEDIA = frozenset(
    {"cpa", "cpc", "cpe", "cpi", "cpl", "cpm", "cpv", "ppc", "sem"}
) | {
    *("display", "expandable", "interstitial", "programmatic"),
    *("remarketing", "retargeting"),
}


class AdMark(NamedTuple):
    """A parameter that tells of advertising, and who wrote it."""

    parameter: str
    written_by: str
    also_unpaid: bool = False


def paid_ad_mark(address: str) -> AdMark | None:
    """The clearest mark of paid advertising in the address, or None."""
    # Links are typed and copied in any case.
    url = parse_http_url(address.lower())
    if url is None:
        return None
    for name, platform in AD_PARAMETERS.items():
        if first_parameter(url, name.lower()):
            return AdMark(name, platform)
    medium = _paid_medium(url)
    if medium is not None:
        return AdMark(f"{MEDIUM}={medium}", "the maker of the link")
    if first_parameter(url, ANY_POST_PARAMETER):
        platform = "Facebook, into links of paid and of unpaid posts"
        return AdMark(ANY_POST_PARAMETER, platform, also_unpaid=True)
    return None


def _paid_medium(url: HttpUrl) -> str | None:
    medium = (first_parameter(url, MEDIUM) or "").strip()
    words = WORDS.findall(medium)
    is_paid = any(word in PAID_MEDIA or word.startswith("paid") for word in words)
    return medium if is_paid else None
