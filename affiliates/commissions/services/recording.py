"""The commission of a sale that was just recorded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from affiliates.commissions import rules
from affiliates.commissions.amounts import paid_lines
from affiliates.commissions.models import Commission, CommissionEvent, CommissionLine
from affiliates.commissions.rules import CommissionStatus, Judgement, StepReason, Why
from affiliates.commissions.selectors import counted_before, earned_in_period
from affiliates.commissions.services.locks import lock_affiliates
from affiliates.commissions.services.shares import sharer_of, write_share
from affiliates.commissions.services.steps import first_events, post_events
from affiliates.fraud.rules.policy import FraudAction
from affiliates.fraud.services import review_sale
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.plans.rules.matching import SaleFacts
from affiliates.plans.rules.receipts import CommissionReceipt, compute_commission
from affiliates.plans.rules.terms import PlanTerms
from affiliates.plans.selectors import coupon_terms, plan_version_for, terms_of
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.models import Sale
from affiliates.sales.rules import judge_sale

NOTHING_TO_REVIEW: tuple[Sequence[str], Sequence[str]] = ((), ())


@transaction.atomic
def record_commission(
    sale: Sale,
    *,
    referral: OrderReferral,
    now: datetime,
    is_given_anew: bool = False,
) -> Commission | None:
    """Compute and keep what the sale earns the affiliate its order is credited to.

    None for an affiliate on no plan. The caller holds the order's lock. All sales of an
    order earn by the plan's version of the first. A sale that staff gave to another
    affiliate has been reviewed: its signals are not asked for again. The share of the
    affiliate's recruiter is recorded with it.
    """
    affiliate = referral.affiliate
    if affiliate is None:
        return None
    earlier: list[Commission] = []
    if is_given_anew or getattr(referral, "has_sales", True):
        earlier = _commissions_of(referral)
    version = _version_for(affiliate, earlier, at=referral.converted_at)
    if version is None:
        return None
    terms = terms_of(version)
    sharer = sharer_of(referral, terms)
    earners = [one.pk for one in (affiliate, sharer) if one is not None]
    is_capped = terms.cap_in(sale.net.currency.code) is not None
    if is_capped or sharer is not None:
        # Two sales at once would both find room below the cap; two affiliates with one
        # recruiter would lock its balances each after their own.
        lock_affiliates(earners)
    facts = _facts(sale, referral=referral, affiliate=affiliate, terms=terms)
    receipt = compute_commission(
        facts, terms=terms, plan_name=version.plan.name, version_number=version.number
    )
    is_reviewed = any(one.sale_id == sale.pk for one in earlier)
    signals = NOTHING_TO_REVIEW
    if receipt.amount and not is_reviewed:
        signals = _review(sale, referral, terms, now=now)
    judgement = _judge(referral, affiliate, receipt, terms, signals)
    if judgement.status is CommissionStatus.APPROVED:
        lock_affiliates(earners)
    commission, events = _write(sale, affiliate, version, receipt, judgement, now=now)
    if sharer is not None:
        events += write_share(commission, sharer, terms, judgement, now=now)
    # By one call: whoever posts locks the accounts in one order.
    post_events([(event, event.commission.amount) for event in events], now=now)
    return commission


def _judge(
    referral: OrderReferral,
    affiliate: Affiliate,
    receipt: CommissionReceipt,
    terms: PlanTerms,
    signals: tuple[Sequence[str], Sequence[str]],
) -> Judgement:
    declined, held = signals
    return rules.judge_first(
        amount=receipt.amount,
        sale=judge_sale(
            decision_is_held=referral.outcome == Outcome.HELD,
            affiliate_is_active=affiliate.credited_as.status == AffiliateStatus.ACTIVE,
        ),
        declined=declined,
        held=held,
        hold_days=receipt.hold_days,
        approves_itself=terms.approves_itself,
    )


def _commissions_of(referral: OrderReferral) -> list[Commission]:
    return list(
        Commission.objects.filter(
            sale__order_referral_id=referral.pk, share_of__isnull=True
        )
        .select_related("plan_version__plan")
        .order_by("pk")
    )


def _version_for(
    affiliate: Affiliate, earlier: Sequence[Commission], *, at: datetime
) -> CommissionPlanVersion | None:
    for commission in earlier:
        if commission.affiliate_id == affiliate.pk and commission.plan_version:
            return commission.plan_version
    return plan_version_for(affiliate, at=at)


def _facts(
    sale: Sale,
    *,
    referral: OrderReferral,
    affiliate: Affiliate,
    terms: PlanTerms,
) -> SaleFacts:
    currency = sale.net.currency.code
    earned = 0
    if terms.cap_in(currency) is not None:
        earned = earned_in_period(
            affiliate_id=affiliate.pk,
            currency=currency,
            period=terms.cap_period,
            at=sale.paid_at,
        )
    return SaleFacts(
        currency=currency,
        renewal_number=sale.renewal_number,
        ordered_at=referral.converted_at,
        paid_at=sale.paid_at,
        affiliate_id=affiliate.pk,
        coupon=coupon_terms(
            brand_id=sale.brand_id,
            code=referral.coupon_code,
            affiliate_id=affiliate.pk,
            at=referral.converted_at,
        ),
        earned_in_period=earned,
        counted=counted_before(
            sale,
            affiliate_id=affiliate.pk,
            bases=terms.tier_bases,
            zone=sale.brand.zone(),
        )
        if terms.tier_bases
        else {},
        lines=paid_lines(sale.payment.lines, sale.net.currency),
    )


def _review(
    sale: Sale, referral: OrderReferral, terms: PlanTerms, *, now: datetime
) -> tuple[Sequence[str], Sequence[str]]:
    """Why the fraud signals decline the commission, and why they hold it, if they do."""
    verdict = review_sale(
        sale, referral=referral, paid_ads_allowed=terms.allows_paid_ads, now=now
    )
    declined = verdict.signals if verdict.action is FraudAction.DECLINE else ()
    held = verdict.signals if verdict.action is FraudAction.HOLD else ()
    return declined, held


def _write(
    sale: Sale,
    affiliate: Affiliate,
    version: CommissionPlanVersion,
    receipt: CommissionReceipt,
    judgement: Judgement,
    *,
    now: datetime,
) -> tuple[Commission, list[CommissionEvent]]:
    commission = Commission.objects.create(
        brand_id=sale.brand_id,
        sale=sale,
        affiliate=affiliate,
        plan_version=version,
        currency=sale.net.currency.code,
        amount=receipt.amount,
        status=judgement.status,
        reason=judgement.why.reason,
        reason_details=dict(judgement.why.details),
        earned_at=sale.paid_at,
        matures_at=sale.paid_at + timedelta(days=receipt.hold_days),
    )
    CommissionLine.objects.bulk_create(
        [
            CommissionLine(
                commission=commission,
                position=made.position,
                amount=made.amount,
                receipt=made.receipt,
            )
            for made in receipt.lines
        ]
    )
    why = Why(
        StepReason.EARNED,
        {
            "amount": commission.amount,
            "currency": commission.currency,
            "version": str(version),
        },
    )
    return commission, first_events(commission, why, judgement, now=now)
