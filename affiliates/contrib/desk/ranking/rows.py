"""Names of the parts of a ranking, and the addresses of the lists of their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from babel import Locale
from django.urls import reverse
from django.utils.translation import get_language, to_locale

from affiliates.admin_tools.naming import page_name
from affiliates.contrib.statistics.spans import Chosen
from affiliates.contrib.statistics.types import Dimension
from affiliates.db.accounts import email_of
from affiliates.plans.catalogue import catalogue_of
from affiliates.program.models import Affiliate, AffiliateLink


class Named(NamedTuple):
    """``detail`` stands beside the name: whose it is, or what a code means."""

    name: str
    detail: str = ""
    path: str = ""


def name_parts(
    dimension: Dimension, keys: Sequence[Any], chosen: Chosen
) -> dict[Any, Named]:
    if dimension is Dimension.AFFILIATE:
        return _affiliates(keys)
    if dimension is Dimension.LINK:
        return _links(keys)
    details: Mapping[str, str] = {}
    if dimension is Dimension.COUNTRY:
        details = Locale.parse(to_locale(get_language() or "en")).territories
    elif dimension is Dimension.PRODUCT:
        details = catalogue_of(chosen.brand.pk).names
    return {
        key: Named(str(key), details.get(key, ""), _rows(dimension, key, chosen))
        for key in keys
    }


def person(affiliate: Affiliate) -> str:
    """The name of the affiliate's client, or the e-mail address if it has none."""
    user: Any = affiliate.user
    full_name = getattr(user, "get_full_name", str)()
    return str(full_name or email_of(user) or user or "")


def affiliate_path(pk: int) -> str:
    page = reverse(page_name("affiliate", "change"), args=[pk])
    return f"{page}?section=statistics"


def _affiliates(keys: Sequence[int]) -> dict[Any, Named]:
    affiliates = _in_bulk(Affiliate.objects.select_related("user"), keys)
    return {
        pk: Named(value.code, person(value), affiliate_path(pk))
        for pk, value in affiliates.items()
    }


def _links(keys: Sequence[str]) -> dict[Any, Named]:
    links = AffiliateLink.objects.select_related("affiliate__user")
    by_key = _in_bulk(links, [int(key) for key in keys])
    return {
        str(pk): Named(
            str(value),
            f"{value.affiliate.code}, {person(value.affiliate)}",
            reverse(page_name("affiliatelink", "change"), args=[pk]),
        )
        for pk, value in by_key.items()
    }


def _in_bulk(rows: Any, keys: Sequence[int]) -> dict[int, Any]:
    by_key: dict[int, Any] = {}
    for start in range(0, len(keys), 1_000):
        by_key |= rows.in_bulk(keys[start : start + 1_000])
    return by_key


def _rows(dimension: Dimension, key: str, chosen: Chosen) -> str:
    """The list of the span's clicks or orders; products have none."""
    if dimension not in _LISTS:
        return ""
    model, moment, lookups = _LISTS[dimension]
    first, end = chosen.moments
    asked = {
        "brand__id__exact": str(chosen.brand.pk),
        f"{moment}__gte": first.isoformat(),
        f"{moment}__lt": end.isoformat(),
        **lookups(key),
    }
    return f"{reverse(page_name(model, 'changelist'))}?{urlencode(asked)}"


def _exactly(column: str, key: str) -> dict[str, str]:
    return {f"{column}__exact": key}


def _of_site(key: str) -> dict[str, str]:
    return {"referrer_url__contains": f"//{key}"}


_LISTS: Mapping[Dimension, tuple[str, str, Callable[[str], dict[str, str]]]] = {
    Dimension.COUPON: (
        "orderreferral",
        "converted_at",
        partial(_exactly, "coupon_code"),
    ),
    Dimension.SUB_ID: ("click", "created_at", partial(_exactly, "sub_id")),
    Dimension.COUNTRY: ("click", "created_at", partial(_exactly, "country")),
    Dimension.REFERRER: ("click", "created_at", _of_site),
}
