"""All-time figures of links, coupons and the affiliate's own address."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from affiliates.api.http.requests import utc_now
from affiliates.contrib.area.api.statistics import figures_data
from affiliates.contrib.statistics import selectors
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.types import Dimension, total_of
from affiliates.program.models import Affiliate


def part_figures(
    affiliate: Affiliate,
    keys: Collection[str],
    dimension: Dimension,
    open_days: OpenDays | None = None,
) -> dict[str, dict[str, Any]]:
    """Figures by key; amounts in every currency that any of these parts has."""
    parts = selectors.by_part(
        keys,
        dimension,
        brand_id=affiliate.brand_id,
        affiliate_id=affiliate.pk,
        open_days=open_days or open_days_of(affiliate, dimension),
    )
    currencies = total_of(parts[key] for key in keys).currencies
    return {key: figures_data(parts[key], currencies) for key in keys}


def open_days_of(affiliate: Affiliate, dimension: Dimension) -> OpenDays:
    """Several questions that share it count the live days once."""
    return OpenDays(dimension, now=utc_now(), brands=[affiliate.brand])
