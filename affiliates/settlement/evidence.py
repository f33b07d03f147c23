"""Gathers all facts of a paid invoice once, for one decision; locks what may change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from affiliates.brands.selectors import reported_brand
from affiliates.commissions.amounts import paid_lines
from affiliates.commissions.life import Life
from affiliates.commissions.models import Commission
from affiliates.commissions.selectors import (
    amounts_by_line,
    counted_before,
    earned_in_period,
    first_version,
    past_steps,
    terms_of_commission,
    was_earned_by,
)
from affiliates.commissions.services.locks import lock_affiliates, lock_live
from affiliates.commissions.services.steps import life_of
from affiliates.fraud.selectors import review_facts
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.plans.rules.matching import SaleFacts
from affiliates.plans.rules.terms import PlanTerms
from affiliates.plans.selectors import coupon_terms, plan_version_for, terms_of
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.known import KnownOrder, KnownPayment, NewFact
from affiliates.sales.positions import position_of, renewal_of
from affiliates.sales.selectors import RefundChange
from affiliates.settlement.deliveries import (
    refund_facts,
    tracked_sale,
    withdrawn_sale,
)
from affiliates.settlement.types import (
    CreditFacts,
    EarningFacts,
    InvoiceFacts,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earner:
    """The affiliate of a new commission, with its plan and recruiter, if there are any."""

    affiliate: Affiliate
    version: CommissionPlanVersion | None = None
    sharer: Affiliate | None = None
    facts: EarningFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredInvoice:
    """The facts of a paid invoice, and the rows that they were read from.

    ``changes`` are in the order of the facts' refunds, ``commissions`` in that of their
    lives. ``tracked`` is the order's referral that names the integration.
    """

    known: KnownPayment
    referral: OrderReferral
    tracked: OrderReferral
    position: int
    changes: tuple[RefundChange, ...]
    commissions: tuple[Commission, ...]
    earner: Earner | None
    facts: InvoiceFacts


def gather(
    known: KnownPayment,
    order: KnownOrder,
    *,
    new_fact: NewFact | None,
    reassigned_from: OrderReferral | None,
    now: datetime,
) -> GatheredInvoice | None:
    """None if nothing is to be written: no new sale, change or delivery.

    A reassigned order may earn a commission for a sale that is already recorded.
    """
    sale, referral, tracked = known.sale, order.referral, order.referral
    if reassigned_from is not None and referral.integration_id is None:
        tracked = reassigned_from
        tracked_facts = withdrawn_sale(known, tracked, referral)
    else:
        tracked_facts = tracked_sale(known, referral, new_fact=new_fact)
    affiliate = referral.affiliate if sale is None or reassigned_from else None
    changes = _changes(known, affiliate)
    if affiliate is None and not changes and tracked_facts is None:
        return None
    live = lock_live(sale) if sale is not None and (affiliate or changes) else []
    commissions = tuple(row for row, _ in live)
    earner, credit, position = None, None, 0
    if affiliate is not None and not live:
        credit = _credit(referral, affiliate)
        position = position_of(known, referral) if sale is None else sale.position
        earner = _earner(affiliate, known, order, position=position)
    return GatheredInvoice(
        known=known,
        referral=referral,
        tracked=tracked,
        position=position,
        changes=changes,
        commissions=commissions,
        earner=earner,
        facts=InvoiceFacts(
            net=known.payment.net,
            invoice=known.amounts,
            credit=credit,
            counted=known.counted,
            refunds=refund_facts(changes, known.payment, new_fact),
            terms=_terms(earner, commissions),
            earning=None if earner is None else earner.facts,
            lives=_lives(live, changes),
            tracked=tracked_facts,
            now=now,
        ),
    )


def _changes(
    known: KnownPayment, affiliate: Affiliate | None
) -> tuple[RefundChange, ...]:
    """Refunds of the affiliate's new commission, or of a sale that lacks one of them.

    Reversals that were counted before come first, then the rest as stored.
    """
    changes = sorted(known.changes, key=lambda change: change.reversal is None)
    is_changed = known.sale is not None and any(
        change.reversal is None for change in changes
    )
    return tuple(changes) if affiliate is not None or is_changed else ()


def _credit(referral: OrderReferral, affiliate: Affiliate) -> CreditFacts:
    return CreditFacts(
        decision_is_held=referral.outcome == Outcome.HELD,
        affiliate_status=AffiliateStatus(affiliate.credited_as.status),
        is_brand_active=reported_brand(referral.brand_id).is_active,
    )


def _terms(earner: Earner | None, live: Sequence[Commission]) -> PlanTerms:
    if earner is not None and earner.version is not None:
        return terms_of(earner.version)
    return terms_of_commission(live[0]) if live else PlanTerms()


def _lives(
    live: Sequence[tuple[Commission, int]], changes: Sequence[RefundChange]
) -> tuple[Life, ...]:
    """``live`` are commissions, each with the amount that refunds have taken of it."""
    gives_back = any(
        change.reversal is None and change.gross.amount < 0 for change in changes
    )
    # Only a restored commission returns to an earlier state.
    past = past_steps([row.pk for row, _ in live]) if gives_back else {}
    by_line: list[int] = []
    if live and any("lines" in change.refund.named for change in changes):
        by_line = amounts_by_line(live[0][0])
    return tuple(
        life_of(row, taken_back=taken, past=past.get(row.pk, ()), by_line=by_line)
        for row, taken in live
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
        lock_affiliates({affiliate.pk, (sharer or affiliate).pk})
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
        review = review_facts(
            referral, is_first=is_first, paid_ads_allowed=terms.allows_paid_ads
        )
        facts = replace(facts, review=review)
    return Earner(affiliate=affiliate, version=version, sharer=sharer, facts=facts)


def _version_for(
    affiliate: Affiliate, order: KnownOrder
) -> CommissionPlanVersion | None:
    referral = order.referral
    first = first_version(referral, affiliate) if order.has_sales else None
    return first or plan_version_for(affiliate, at=referral.converted_at)


def _sharer_of(referral: OrderReferral, terms: PlanTerms) -> Affiliate | None:
    """The recruiter with a share in the order's commissions; never for their own order."""
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
