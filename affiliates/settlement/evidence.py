"""Gathers all facts of a paid invoice once, for one decision; locks what may change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from affiliates.commissions.amounts import paid_lines
from affiliates.commissions.life import Life
from affiliates.commissions.models import Commission
from affiliates.commissions.selectors import (
    counted_before,
    earned_in_period,
    first_version,
    past_steps,
    terms_of_commission,
    was_earned_by,
)
from affiliates.commissions.services.locks import lock_affiliates, lock_live
from affiliates.commissions.services.steps import life_of
from affiliates.contracts import RefundKind
from affiliates.fraud.selectors import review_facts
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.plans.rules.matching import SaleFacts
from affiliates.plans.rules.terms import PlanTerms
from affiliates.plans.selectors import coupon_terms, plan_version_for, terms_of
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.known import KnownOrder, KnownPayment
from affiliates.sales.positions import position_of, renewal_of
from affiliates.sales.selectors import RefundChange
from affiliates.settlement.types import (
    CreditFacts,
    EarningFacts,
    InvoiceFacts,
    RefundFacts,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earner:
    """Who earns a new commission, and by what; nothing for an affiliate on no plan."""

    affiliate: Affiliate
    version: CommissionPlanVersion | None = None
    sharer: Affiliate | None = None
    facts: EarningFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditedInvoice:
    """The facts of a paid invoice, and the rows that they were read from.

    ``changes`` are in the order of the facts' refunds, ``commissions`` in that of their
    lives.
    """

    known: KnownPayment
    referral: OrderReferral
    position: int
    changes: tuple[RefundChange, ...]
    commissions: tuple[Commission, ...]
    earner: Earner | None
    facts: InvoiceFacts


def gather(
    known: KnownPayment, order: KnownOrder, *, is_given_anew: bool, now: datetime
) -> CreditedInvoice | None:
    """None if there is no sale and no affiliate is credited, or nothing has changed.

    ``is_given_anew``: staff gave the order to another affiliate, who may be due a
    commission for a sale that is already recorded.
    """
    sale, referral = known.sale, order.referral
    # Reversals that were counted before come first, then the rest as stored.
    changes = tuple(sorted(known.changes, key=lambda change: change.reversal is None))
    affiliate = referral.affiliate if sale is None or is_given_anew else None
    is_changed = sale is not None and any(one.reversal is None for one in changes)
    if affiliate is None and not is_changed:
        return None
    live = [] if sale is None else lock_live(sale)
    commissions = tuple(row for row, _ in live)
    earner, credit, position = None, None, 0
    if affiliate is not None and not live:
        credit = _credit(referral, affiliate)
        position = (
            position_of(known.payment, referral) if sale is None else sale.counts_as
        )
        earner = _earner(affiliate, known, order, position=position)
    return CreditedInvoice(
        known=known,
        referral=referral,
        position=position,
        changes=changes,
        commissions=commissions,
        earner=earner,
        facts=InvoiceFacts(
            net=known.payment.net,
            gross=known.payment.gross,
            credit=credit,
            counted=known.counted,
            refunds=tuple(map(_refund, changes)),
            terms=_terms(earner, commissions),
            earning=None if earner is None else earner.facts,
            lives=_lives(live, changes),
            now=now,
        ),
    )


def _credit(referral: OrderReferral, affiliate: Affiliate) -> CreditFacts:
    return CreditFacts(
        decision_is_held=referral.outcome == Outcome.HELD,
        affiliate_status=AffiliateStatus(affiliate.credited_as.status),
    )


def _terms(earner: Earner | None, live: Sequence[Commission]) -> PlanTerms:
    if earner is not None and earner.version is not None:
        return terms_of(earner.version)
    return terms_of_commission(live[0]) if live else PlanTerms()


def _refund(change: RefundChange) -> RefundFacts:
    return RefundFacts(
        refund_ref=change.refund.refund_ref,
        kind=RefundKind(change.refund.kind),
        gross=change.gross,
        is_counted=change.reversal is not None,
    )


def _lives(
    live: Sequence[tuple[Commission, int]], changes: Sequence[RefundChange]
) -> tuple[Life, ...]:
    """``live`` are commissions, each with what refunds have taken of it."""
    gives_back = any(one.reversal is None and one.gross.amount < 0 for one in changes)
    # Only what is restored becomes what it was before.
    past = past_steps([one.pk for one, _ in live]) if gives_back else {}
    return tuple(
        life_of(one, taken_back=taken, past=past.get(one.pk, ())) for one, taken in live
    )


def _earner(
    affiliate: Affiliate, known: KnownPayment, order: KnownOrder, *, position: int
) -> Earner:
    """All sales of an order earn by the plan version of the first."""
    referral, payment = order.referral, known.payment
    version = _version_for(affiliate, order)
    if version is None:
        return Earner(affiliate=affiliate)
    terms = terms_of(version)
    sharer = _sharer_of(referral, terms)
    if sharer is not None or _needs_lock(known, terms):
        lock_affiliates([one.pk for one in (affiliate, sharer) if one is not None])
    sale = _sale_facts(known, referral, affiliate, terms, position=position)
    facts = EarningFacts(
        sale=sale,
        plan_name=version.plan.name,
        version_number=version.number,
        version_text=str(version),
        has_sharer=sharer is not None,
        review=None,
    )
    # A sale that staff gave to another affiliate has been reviewed.
    is_reviewed = known.sale is not None and was_earned_by(known.sale)
    if not is_reviewed and any(line.net > 0 for line in sale.lines):
        is_first = position == 0 and payment.net.amount > 0
        found = review_facts(
            referral, is_first=is_first, paid_ads_allowed=terms.allows_paid_ads
        )
        facts = replace(facts, review=found)
    return Earner(affiliate=affiliate, version=version, sharer=sharer, facts=facts)


def _version_for(
    affiliate: Affiliate, order: KnownOrder
) -> CommissionPlanVersion | None:
    referral = order.referral
    first = first_version(referral, affiliate) if order.has_sales else None
    return first or plan_version_for(affiliate, at=referral.converted_at)


def _sharer_of(referral: OrderReferral, terms: PlanTerms) -> Affiliate | None:
    """Who gets a share of the order's commissions; never for their own order."""
    if not terms.recruiter_percent or referral.affiliate is None:
        return None
    sharer = referral.affiliate.sharer
    if sharer is None or sharer.user_id == referral.client_id:
        return None
    return sharer


def _needs_lock(known: KnownPayment, terms: PlanTerms) -> bool:
    """Whether the affiliate's other sales and payouts have to wait for this one.

    Two concurrent sales would both find room below the cap; a payout takes all that is
    approved. Refunds may approve, too: they restore what was approved before.
    """
    holds = {terms.hold_days, *terms.hold_days_by_cycle.values()}
    may_be_approved = bool(known.changes) or (terms.approves_itself and 0 in holds)
    is_capped = terms.cap_in(known.payment.gross.currency.code) is not None
    return is_capped or may_be_approved


def _sale_facts(
    known: KnownPayment,
    referral: OrderReferral,
    affiliate: Affiliate,
    terms: PlanTerms,
    *,
    position: int,
) -> SaleFacts:
    payment, currency = known.payment, known.payment.gross.currency
    earned, counted = 0, {}
    if terms.cap_in(currency.code) is not None:
        earned = earned_in_period(
            affiliate_id=affiliate.pk,
            currency=currency.code,
            period=terms.cap_period,
            at=payment.paid_at,
        )
    if terms.tier_bases:
        counted = counted_before(
            payment.paid_at,
            None if known.sale is None else known.sale.pk,
            affiliate_id=affiliate.pk,
            currency=currency.code,
            bases=terms.tier_bases,
            zone=payment.brand.zone(),
        )
    coupon = coupon_terms(
        brand_id=payment.brand_id,
        code=referral.coupon_code,
        affiliate_id=affiliate.pk,
        at=referral.converted_at,
    )
    return SaleFacts(
        currency=currency.code,
        renewal_number=renewal_of(payment, referral),
        position=position,
        ordered_at=referral.converted_at,
        paid_at=payment.paid_at,
        affiliate_id=affiliate.pk,
        coupon=coupon,
        earned_in_period=earned,
        counted=counted,
        lines=paid_lines(payment.lines, currency),
    )
