"""The commission of a sale that was just recorded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from affiliates.commissions import rules
from affiliates.commissions.amounts import paid_lines
from affiliates.commissions.models import Commission, CommissionEvent, CommissionLine
from affiliates.commissions.rules import CommissionStatus, Judgement, StepReason
from affiliates.commissions.selectors import counted_before, earned_in_period
from affiliates.commissions.services.locks import lock_affiliates
from affiliates.commissions.services.steps import post_events
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
    affiliate has been reviewed: its signals are not asked for again.
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
    facts = _facts(sale, referral=referral, affiliate=affiliate, terms=terms)
    receipt = compute_commission(
        facts, terms=terms, plan_name=version.plan.name, version_number=version.number
    )
    is_reviewed = any(one.sale_id == sale.pk for one in earlier)
    declined, held = NOTHING_TO_REVIEW
    if receipt.amount and not is_reviewed:
        declined, held = _review(sale, referral, terms, now=now)
    judgement = rules.judge_first(
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
    is_capped = terms.cap_in(facts.currency) is not None
    if judgement.status is CommissionStatus.APPROVED and not is_capped:
        lock_affiliates([affiliate.pk])
    return _write(sale, affiliate, version, receipt, judgement, now=now)


def _commissions_of(referral: OrderReferral) -> list[Commission]:
    return list(
        Commission.objects.filter(sale__order_referral_id=referral.pk)
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
        # Two sales at once would both find room below the cap.
        lock_affiliates([affiliate.pk])
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
) -> Commission:
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
    events = _write_events(commission, version, judgement, now=now)
    post_events([(event, commission.amount) for event in events], now=now)
    return commission


def _write_events(
    commission: Commission,
    version: CommissionPlanVersion,
    judgement: Judgement,
    *,
    now: datetime,
) -> list[CommissionEvent]:
    """It is earned first; where it does not simply wait, that is a step of its own."""
    pending = CommissionStatus.PENDING
    events = [
        CommissionEvent(
            commission=commission,
            before="",
            after=pending,
            reason=StepReason.EARNED,
            reason_details={
                "amount": commission.amount,
                "currency": commission.currency,
                "version": str(version),
            },
            at=now,
        )
    ]
    if judgement.status is not CommissionStatus.PENDING:
        events.append(
            CommissionEvent(
                commission=commission,
                before=pending,
                after=judgement.status,
                reason=judgement.why.reason,
                reason_details=dict(judgement.why.details),
                at=now,
            )
        )
    return CommissionEvent.objects.bulk_create(events)
