"""A small program in which everything has happened, written row by row.

Not by the services: what they write is verified by the tests that use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from moneyed import Money

from affiliates.commissions.amounts import paid_lines
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.rules import PATHS, Account, PostingKind
from affiliates.ledger.services import post
from affiliates.payouts.models import Payout, PayoutTerms
from affiliates.payouts.rules import PayoutStatus
from affiliates.plans.rules.computation import compute_commission
from affiliates.plans.rules.matching import SaleFacts
from affiliates.plans.rules.terms import PlanTerms, RuleTerms
from affiliates.program.models import Affiliate
from affiliates.sales.models import Sale
from tests.factories.books import (
    CommissionEventFactory,
    CommissionFactory,
    CommissionLineFactory,
    CommissionReversalFactory,
    MovementFactory,
    PayoutEventFactory,
    PayoutFactory,
)
from tests.factories.decisions import make_touch
from tests.factories.ledger import NOW, OrderReferralFactory, SaleFactory, decision_of

AMOUNT = 1000
# How what is left of a commission gets from pending to where its status has it.
KINDS = {
    CommissionStatus.HELD: PostingKind.HELD,
    CommissionStatus.APPROVED: PostingKind.APPROVED,
    CommissionStatus.PAID: PostingKind.APPROVED,
    CommissionStatus.REJECTED: PostingKind.REJECTED,
}


@dataclass(frozen=True, kw_only=True)
class Program:
    """Commissions of 10.00 EUR, each for a sale of 100.00 EUR, one of each status."""

    commissions: dict[CommissionStatus, Commission]
    in_payout: Commission
    payouts: dict[PayoutStatus, Payout]


def make_program(affiliate: Affiliate, *, now: datetime) -> Program:
    statuses = CommissionStatus
    payouts = {
        status: make_payout(affiliate, status, now=now)
        for status in (PayoutStatus.PAID, PayoutStatus.REJECTED, PayoutStatus.EXPORTED)
    }
    taken = {statuses.APPROVED: 200, statuses.REVERSED: AMOUNT, statuses.REJECTED: 1}
    commissions = {
        status: make_commission(
            affiliate,
            status,
            taken=taken.get(status, 0),
            payout=payouts[PayoutStatus.PAID] if status is statuses.PAID else None,
            now=now,
        )
        for status in statuses
    }
    in_payout = make_commission(
        affiliate, statuses.APPROVED, payout=payouts[PayoutStatus.EXPORTED], now=now
    )
    return Program(commissions=commissions, in_payout=in_payout, payouts=payouts)


def make_commission(
    affiliate: Affiliate,
    status: CommissionStatus,
    *,
    taken: int = 0,
    payout: Payout | None = None,
    now: datetime,
) -> Commission:
    """With its line, its reversal, the steps of its life and its postings."""
    commission = CommissionFactory(
        affiliate=affiliate,
        sale=_make_sale(affiliate),
        status=status,
        payout=payout,
        amount=AMOUNT,
    )
    CommissionLineFactory(commission=commission, receipt=_receipt_of(commission.sale))
    _move(commission, PostingKind.EARNED, Account.EXPENSE, AMOUNT, now=now)
    if taken:
        CommissionReversalFactory(
            commission=commission,
            amount=-taken,
            sale_reversal__net=Money(-taken, "EUR") / 10,
            sale_reversal__refund__gross=Money(119 * taken, "EUR") / AMOUNT,
        )
        _move(commission, PostingKind.REVERSED, Account.PENDING, taken, now=now)
    if status in KINDS:
        left = AMOUNT - taken
        _move(commission, KINDS[status], Account.PENDING, left, now=now)
    before = ""
    for after in ("pending", "approved", "paid") if payout else ("pending", status):
        CommissionEventFactory(commission=commission, before=before, after=after)
        before = after
        if after == status:
            break
    return commission


def _make_sale(affiliate: Affiliate) -> Sale:
    """Of an order that a click of the affiliate's was credited with."""
    decision = decision_of(make_touch(timedelta(days=1), affiliate.pk, now=NOW))
    referral = OrderReferralFactory(
        brand=affiliate.brand, client=affiliate.user, made=decision
    )
    return SaleFactory(order_referral=referral)


def _receipt_of(sale: Sale) -> dict[str, Any]:
    """10 % of its only line, by no version of any plan."""
    currency = sale.net.currency
    facts = SaleFacts(
        currency=currency.code,
        renewal_number=0,
        position=0,
        ordered_at=sale.order_referral.converted_at,
        paid_at=sale.paid_at,
        affiliate_id=sale.affiliate_id,
        lines=paid_lines(sale.payment.lines, currency),
    )
    terms = PlanTerms(rules=(RuleTerms(percent=Decimal(10)),))
    made = compute_commission(facts, terms=terms, plan_name="", version_number=None)
    return made.lines[0].receipt


def make_payout(affiliate: Affiliate, status: PayoutStatus, *, now: datetime) -> Payout:
    """With its steps and its postings, and the terms of its brand."""
    PayoutTerms.objects.get_or_create(brand=affiliate.brand)
    payout = PayoutFactory(affiliate=affiliate, status=status, amount=AMOUNT)
    PayoutEventFactory(payout=payout, before="", after="requested")
    PayoutEventFactory(payout=payout, before="requested", after=status)
    kinds = [PostingKind.PAYOUT_REQUESTED]
    if status is PayoutStatus.PAID:
        kinds.append(PostingKind.PAYOUT_PAID)
    if status is PayoutStatus.REJECTED:
        kinds.append(PostingKind.PAYOUT_REJECTED)
    for kind in kinds:
        (source,) = PATHS[kind].sources
        post(
            [
                MovementFactory(
                    affiliate=affiliate,
                    kind=kind,
                    key=f"payout:{payout.pk}:{kind}",
                    source=source,
                    target=PATHS[kind].targets[0],
                    amount=AMOUNT,
                    payout_id=payout.pk,
                )
            ],
            now=now,
        )
    return payout


def _move(
    commission: Commission,
    kind: PostingKind,
    source: Account,
    amount: int,
    *,
    now: datetime,
) -> None:
    post(
        [
            MovementFactory(
                affiliate=commission.affiliate,
                kind=kind,
                key=f"commission:{commission.pk}:{kind}",
                source=source,
                target=PATHS[kind].targets[0],
                amount=amount,
                commission_id=commission.pk,
            )
        ],
        now=now,
    )
