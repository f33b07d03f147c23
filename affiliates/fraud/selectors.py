"""The facts for reviewing a sale, in one query, and for a renewal in another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from affiliates.brands.config_cache import ConfigCache, config_database, unless_touched
from affiliates.brands.rules import ChangeKind
from affiliates.db.accounts import email_of
from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.fraud.order_facts import order_facts
from affiliates.fraud.rules.policy import (
    DEFAULT_POLICIES,
    FraudAction,
    ReviewOutcome,
    Signal,
    SignalPolicy,
)
from affiliates.fraud.rules.signals import ReviewFacts
from affiliates.fraud.rules.types import FraudFacts, PeopleFacts
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Reason


def policies_of(brand_id: int) -> Mapping[Signal, SignalPolicy]:
    """The brand's action for every signal, by its own policies or the defaults.

    As this process knows them, refreshed as often as the brands.
    """
    return _policies.get(None).get(brand_id, DEFAULT_POLICIES)


def signals_released_before(referral: OrderReferral) -> frozenset[Signal]:
    """Signals that staff released for the order: its renewals ignore them."""
    released = FraudReview.objects.filter(
        sale__order_referral=referral, outcome=ReviewOutcome.RELEASED
    ).values_list("findings", flat=True)
    return frozenset(
        Signal(finding["signal"]) for findings in released for finding in findings
    )


def review_facts(
    referral: OrderReferral, *, is_first: bool, paid_ads_allowed: bool
) -> ReviewFacts | None:
    """The facts for reviewing a sale of the order: its first, or a later one.

    None for an order that staff assigned: a person has judged it.
    """
    if referral.reason == Reason.STAFF:
        return None
    policies = policies_of(referral.brand_id)
    sale = FraudFacts(
        people=_people(referral),
        order=order_facts(referral, policies) if is_first else None,
        paid_ads_allowed=paid_ads_allowed,
    )
    released = frozenset[Signal]() if is_first else signals_released_before(referral)
    return ReviewFacts(sale, policies, released)


def _people(known: OrderReferral) -> PeopleFacts:
    affiliate: Any = known.affiliate
    return PeopleFacts(
        affiliate_user_id=str(affiliate.user_id),
        affiliate_email=email_of(affiliate.user),
        client_id=str(known.client_id),
        client_email=email_of(known.client),
    )


def _load(key: None) -> dict[None, dict[int, dict[Signal, SignalPolicy]]]:
    policies: defaultdict[int, dict[Signal, SignalPolicy]] = defaultdict(
        lambda: dict(DEFAULT_POLICIES)
    )
    for row in FraudPolicy.objects.using(config_database()):
        signal, threshold = Signal(row.signal), row.threshold
        if threshold is None:
            threshold = DEFAULT_POLICIES[signal].threshold
        policies[row.brand_id][signal] = SignalPolicy(
            action=FraudAction(row.action), threshold=threshold
        )
    return {key: dict(policies)}


_policies = ConfigCache(_load, unless_touched(ChangeKind.BRAND))
