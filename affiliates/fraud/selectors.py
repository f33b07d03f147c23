"""The facts for reviewing a sale, in one query, and for a renewal in another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from affiliates.brands.config_cache import ConfigCache, config_database, unless_touched
from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import ChangeKind
from affiliates.db.accounts import email_of
from affiliates.fraud.models import FraudReview
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


class FraudTerms(NamedTuple):
    """A brand's action for every signal, and how long its flagged sales are held."""

    policies: Mapping[Signal, SignalPolicy] = DEFAULT_POLICIES
    flagged_hold: timedelta = timedelta(
        days=Brand._meta.get_field("flagged_hold_days").get_default()
    )


def fraud_terms(brand_id: int) -> FraudTerms:
    """The terms that this process knows, refreshed as often as the brands."""
    return _terms.get(None).get(brand_id, FraudTerms())


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
    policies, flagged_hold = fraud_terms(referral.brand_id)
    sale = FraudFacts(
        people=_people(referral),
        order=order_facts(referral, policies) if is_first else None,
        paid_ads_allowed=paid_ads_allowed,
    )
    released = frozenset[Signal]() if is_first else signals_released_before(referral)
    return ReviewFacts(sale, policies, released, flagged_hold)


def _people(known: OrderReferral) -> PeopleFacts:
    affiliate: Any = known.affiliate
    return PeopleFacts(
        affiliate_user_id=str(affiliate.user_id),
        affiliate_email=email_of(affiliate.user),
        client_id=str(known.client_id),
        client_email=email_of(known.client),
    )


def _load(key: None) -> dict[None, dict[int, FraudTerms]]:
    policies: defaultdict[int, dict[Signal, SignalPolicy]] = defaultdict(
        lambda: dict(DEFAULT_POLICIES)
    )
    holds = {}
    own = (f"fraud_policies__{name}" for name in ("signal", "action", "threshold"))
    rows = Brand.objects.using(config_database()).order_by()
    for pk, days, name, action, threshold in rows.values_list(
        "pk", "flagged_hold_days", *own
    ):
        holds[pk] = timedelta(days=days)
        if name is None:
            continue
        signal = Signal(name)
        if threshold is None:
            threshold = DEFAULT_POLICIES[signal].threshold
        policies[pk][signal] = SignalPolicy(
            action=FraudAction(action), threshold=threshold
        )
    return {key: {pk: FraudTerms(policies[pk], hold) for pk, hold in holds.items()}}


_terms = ConfigCache(_load, unless_touched(ChangeKind.BRAND))
