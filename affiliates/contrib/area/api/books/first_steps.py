"""Which first steps an affiliate has done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from affiliates.payouts.models import PayoutDestination
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.referrals.models import OrderReferral
from affiliates.visits.models import Click

OF_EACH: Mapping[str, Any] = {
    "link": AffiliateLink,
    "click": Click,
    "order": OrderReferral,
    "destination": PayoutDestination,
}


def first_steps_data(affiliate: Affiliate) -> dict[str, bool]:
    """Returns for each step whether the affiliate has a row of it."""
    return {
        name: model.objects.filter(affiliate=affiliate).order_by().exists()
        for name, model in OF_EACH.items()
    }
