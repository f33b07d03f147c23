"""The terms by which one affiliate earns and is paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from affiliates.commissions.selectors import counted_before, earned_in_period
from affiliates.payouts.rules import Terms as PayoutTerms
from affiliates.payouts.selectors import terms_of as payout_terms_of
from affiliates.plans.catalogue import catalogue_of
from affiliates.plans.rules.examples import EarningExample, examples_of
from affiliates.plans.rules.matching import Counted, cap_period_end
from affiliates.plans.rules.messages import (
    describe_conditions,
    describe_progress,
    describe_rule,
)
from affiliates.plans.rules.terms import SALES, CapPeriod, PlanTerms, TierBasis
from affiliates.plans.rules.tiers import TierProgress, progress_of
from affiliates.plans.selectors import own_terms
from affiliates.program.models import Affiliate

CountedByCurrency = Mapping[str, Mapping[TierBasis, Counted]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapUse:
    """Earnings of the cap's current period, in minor units. ``ends_at``: None if never."""

    currency: str
    cap: int
    used: int
    ends_at: datetime | None

    @property
    def left(self) -> int:
        return max(0, self.cap - self.used)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierStanding:
    progress: TierProgress
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AffiliateTerms:
    """``plan`` is None if no plan applies to the affiliate: nothing is earned.

    ``rates`` and ``conditions`` are the plan in words, one sentence each.
    """

    plan: PlanTerms | None
    payout: PayoutTerms
    window_days: int
    rates: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    examples: tuple[EarningExample, ...] = ()
    tiers: tuple[TierStanding, ...] = ()
    caps: tuple[CapUse, ...] = ()


def affiliate_terms(affiliate: Affiliate, *, now: datetime) -> AffiliateTerms:
    """The terms of an affiliate of any status: an applicant reads what will be earned."""
    plan = own_terms(affiliate, at=now)
    payout = payout_terms_of(affiliate.brand_id)
    window_days = affiliate.brand.attribution_window_days
    if plan is None:
        return AffiliateTerms(plan=None, payout=payout, window_days=window_days)
    catalogue = catalogue_of(affiliate.brand_id)
    products = catalogue.priced()
    counted = _counted(
        affiliate, plan, [product.currency for product in products], now=now
    )
    names = {affiliate.pk: affiliate.code}
    return AffiliateTerms(
        plan=plan,
        payout=payout,
        window_days=window_days,
        rates=tuple(
            f"{describe_rule(catalogue.named(rule), affiliates=names)}."
            for rule in plan.rules
        ),
        conditions=describe_conditions(plan),
        examples=examples_of(
            products, terms=plan, affiliate_id=affiliate.pk, counted=counted, at=now
        ),
        tiers=_tiers(plan, counted),
        caps=_caps(affiliate, plan, now=now),
    )


def _counted(
    affiliate: Affiliate, plan: PlanTerms, currencies: Sequence[str], *, now: datetime
) -> CountedByCurrency:
    """One query, and one more for each further currency that has tiers of revenue."""
    if not plan.tier_bases:
        return {}
    units = {tier.unit for rule in plan.rules for tier in rule.tiers} - {SALES}
    counted = {
        unit: counted_before(
            now,
            None,
            affiliate_id=affiliate.pk,
            currency=unit,
            bases=plan.tier_bases,
            zone=affiliate.brand.zone(),
        )
        for unit in sorted(units) or [SALES]
    }
    # The number of sales is the same in every currency.
    by_sales = next(iter(counted.values()))
    return {**dict.fromkeys(currencies, by_sales), **counted}


def _tiers(plan: PlanTerms, counted: CountedByCurrency) -> tuple[TierStanding, ...]:
    standings = []
    for rule in plan.rules:
        if (basis := rule.tier_basis) is None:
            continue
        for unit in dict.fromkeys(tier.unit for tier in rule.tiers):
            by_unit = counted.get(unit) or next(iter(counted.values()))
            progress = progress_of(rule, unit=unit, counted=by_unit[basis].seen)
            sentences = describe_progress(rule, progress)
            standings.append(TierStanding(progress=progress, sentences=sentences))
    return tuple(standings)


def _caps(
    affiliate: Affiliate, plan: PlanTerms, *, now: datetime
) -> tuple[CapUse, ...]:
    if plan.cap_period is CapPeriod.NONE:
        return ()
    ends = None
    if plan.cap_period is not CapPeriod.LIFETIME:
        ends = cap_period_end(plan.cap_period, at=now)
    return tuple(
        CapUse(
            currency=currency,
            cap=cap,
            used=earned_in_period(
                affiliate_id=affiliate.pk,
                currency=currency,
                period=plan.cap_period,
                at=now,
            ),
            ends_at=ends,
        )
        for currency, cap in sorted(plan.cap_amounts.items())
    )
