"""The names of a dimension's parts, as pages and files show them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.statistics.types import ADDRESS_KEY, COUPON_KEY, Dimension
from affiliates.program.models import Affiliate, AffiliateLink

_WITHOUT_PART = {
    Dimension.LINK: _("without a link"),
    Dimension.COUPON: _("without a coupon"),
    Dimension.SUB_ID: _("without a sub-id"),
    Dimension.REFERRER: _("direct or unknown"),
    Dimension.COUNTRY: _("unknown"),
}


def name_parts(keys: Collection[Any], dimension: Dimension) -> Mapping[Any, str]:
    """Returns a name for each key; where there is none, the key itself."""
    names: dict[Any, str] = {}
    if dimension is Dimension.AFFILIATE:
        affiliates = Affiliate.objects.filter(pk__in=keys)
        names = dict(affiliates.values_list("pk", "code"))
    elif dimension is Dimension.LINK:
        links = AffiliateLink.objects.filter(pk__in=filter(str.isdecimal, keys))
        names = {str(link.pk): str(link) for link in links}
        names |= {key: _without_link(key) for key in keys if key not in names}
    elif dimension is Dimension.COUPON:
        names = {key: _coupon(key) for key in keys}
    return {key: names.get(key, str(key)) for key in keys}


def rest_name(dimension: Dimension, *, has_others: bool = False) -> str:
    """Names what belongs to no part; ``has_others``: and to parts that are not shown."""
    none = str(_WITHOUT_PART.get(dimension, gettext("none or unknown")))
    others = gettext("Others")
    return f"{others} / {none}" if has_others else capfirst(none)


def _without_link(key: str) -> str:
    if key == ADDRESS_KEY:
        return gettext("Short address")
    if key.startswith(COUPON_KEY):
        return _coupon(key.removeprefix(COUPON_KEY))
    return key


def _coupon(code: str) -> str:
    return gettext("Coupon {code}").format(code=code)
