"""Judges a sale by its signals, and stores the findings for staff."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import (
    NOTHING_FOUND,
    FoundSignal,
    FraudAction,
    FraudVerdict,
    judge,
)
from affiliates.fraud.rules.signals import find_signals
from affiliates.fraud.selectors import facts_of, policies_of, signals_released_before
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Reason
from affiliates.sales.models import Sale


def review_sale(
    sale: Sale, *, referral: OrderReferral, paid_ads_allowed: bool, now: datetime
) -> FraudVerdict:
    """Returns the action for the sale; stores any other than "allow" for staff.

    In the caller's transaction, in at most five queries. The first review of a sale
    stands: a repeat writes nothing. An order that staff assigned is not reviewed: a
    person has judged it.
    """
    if referral.reason == Reason.STAFF:
        return NOTHING_FOUND
    facts = facts_of(sale, referral=referral, paid_ads_allowed=paid_ads_allowed)
    found = find_signals(facts, policies=policies_of(sale.brand_id))
    if not sale.is_first and found:
        released = signals_released_before(referral)
        found = tuple(one for one in found if one.signal not in released)
    verdict = judge(found)
    if verdict.action is not FraudAction.ALLOW:
        _keep(sale, found, verdict, now=now)
    return verdict


def _keep(
    sale: Sale, found: Sequence[FoundSignal], verdict: FraudVerdict, *, now: datetime
) -> None:
    FraudReview.objects.bulk_create(
        [
            FraudReview(
                brand_id=sale.brand_id,
                sale=sale,
                action=verdict.action,
                findings=[
                    one.to_json()
                    for one in found
                    if one.action is not FraudAction.ALLOW
                ],
                found_at=now,
            )
        ],
        ignore_conflicts=True,
    )
