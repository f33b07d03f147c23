"""The commission of a sale that was just recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from moneyed import Money

from affiliates.commissions import rules
from affiliates.commissions.amounts import left_after_refunds, paid_lines
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
from affiliates.sales.selectors import KnownOrder

NOTHING_TO_REVIEW: tuple[Sequence[str], Sequence[str]] = ((), ())


@transaction.atomic
def record_commission(
    sale: Sale, *, order: KnownOrder, refunded: Money, now: datetime
) -> Commission | None:
    """Computes and stores what the sale earns the affiliate its order is credited to.

    None for an affiliate on no plan. The caller holds the order's lock. All sales of an
    order earn by the plan version of the first. A sale that staff gave to another
    affiliate has been reviewed: its signals are not checked again. The share of the
    affiliate's recruiter is recorded with it. ``refunded`` is gross: a commission that
    refunds leave nothing of is not approved, and the caller reverses it.
    """
    referral = order.referral
    affiliate = referral.affiliate
    if affiliate is None:
        return None
    earlier = _commissions_of(referral) if order.has_sales else []
    version = _version_for(affiliate, earlier, at=referral.converted_at)
    if version is None:
        return None
    terms = terms_of(version)
    sharer = sharer_of(referral, terms)
    earners = [one.pk for one in (affiliate, sharer) if one is not None]
    is_capped = terms.cap_in(sale.net.currency.code) is not None
    if is_capped or sharer is not None:
        # Two concurrent sales would both find room below the cap; two affiliates with
        # one recruiter would each lock its balances after their own.
        lock_affiliates(earners)
    facts = _facts(sale, referral=referral, affiliate=affiliate, terms=terms)
    receipt = compute_commission(
        facts, terms=terms, plan_name=version.plan.name, version_number=version.number
    )
    signals = NOTHING_TO_REVIEW
    if receipt.amount and all(one.sale_id != sale.pk for one in earlier):
        signals = _review(sale, referral, terms, now=now)
    left = _left_by(sale, refunded)
    judgement = _judge(
        referral, affiliate, receipt, left(receipt.amount), terms, signals
    )
    if judgement.status is CommissionStatus.APPROVED:
        lock_affiliates(earners)
    commission, events = _write(sale, affiliate, version, receipt, judgement, now=now)
    if sharer is not None:
        events += write_share(commission, sharer, terms, judgement, left=left, now=now)
    # In one call, which locks all accounts in one order.
    post_events([(event, event.commission.amount) for event in events], now=now)
    return commission


def _left_by(sale: Sale, refunded: Money) -> Callable[[int], int]:
    """Returns a function: what refunds leave of an amount that the sale earns."""
    return partial(
        left_after_refunds,
        currency=sale.net.currency.code,
        paid_gross=sale.payment.gross,
        refunded=refunded,
    )


def _judge(
    referral: OrderReferral,
    affiliate: Affiliate,
    receipt: CommissionReceipt,
    left: int,
    terms: PlanTerms,
    signals: tuple[Sequence[str], Sequence[str]],
) -> Judgement:
    declined, held = signals
    return rules.judge_first(
        amount=receipt.amount,
        left=left,
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
        position=sale.counts_as,
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
    """The fraud signals that decline the commission, and those that hold it."""
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
