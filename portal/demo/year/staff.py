"""Actions of the brand's staff during the year: refund, judge, answer, pay."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus, StaffAction
from affiliates.commissions.services.adjusting import NewAdjustment, adjust
from affiliates.commissions.services.staff import act
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import ClaimStatus, Hints
from affiliates.contrib.claims.services import (
    decline_claim,
    grant_claim,
    submit_claim,
)
from affiliates.contrib.payout_runs.models import PayoutRun
from affiliates.contrib.payout_runs.services.approvals import (
    approve_run,
    close_if_finished,
)
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import ReviewOutcome
from affiliates.fraud_review.services import reject_sales, release_sales
from affiliates.membership.suspensions import WhatIsPending, suspend
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.returns import return_payout
from affiliates.referrals.models import OrderReferral
from portal import gateways
from portal.billing.models import Invoice, InvoiceStatus, RefundKind
from portal.billing.services import record_refund
from portal.demo.year.clock import StoryClock
from portal.demo.year.program import Program

WHOLE = 100
# The share of an invoice in percent that goes back, in turn.
REFUNDED = (WHOLE, WHOLE, 40, WHOLE, 25)
CHARGED_BACK_WEEKS = (20, 38)
RETURNED_IN_RUN, RETURNED_TO = 4, "compare-hosts"


class Staff:
    def __init__(self, program: Program, clock: StoryClock) -> None:
        self._program, self._clock = program, clock
        self._refunds = self._reviews = self._runs = 0

    def refund(self, week: int) -> None:
        """An invoice or two of the last weeks, before or after its commission is paid."""
        at = self._clock.now
        paid = Invoice.objects.filter(
            brand=self._program.brand,
            status=InvoiceStatus.PAID,
            renewal_number=0,
            gross__gt=0,
            paid_at__range=(at - timedelta(days=45), at - timedelta(days=4)),
        ).order_by("number")
        if not (paid_sales := list(paid)):
            return
        for invoice in self._clock.dice.sample(
            paid_sales, 1 - week % 2 + len(paid_sales) // 90
        ):
            is_chargeback = week in CHARGED_BACK_WEEKS
            share = WHOLE if is_chargeback else REFUNDED[self._refunds % len(REFUNDED)]
            self._refunds += 1
            kind = RefundKind.CHARGEBACK if is_chargeback else RefundKind.REFUND
            self.give_back(invoice, share, kind=kind)

    def give_back(
        self, invoice: Invoice, percent: int, *, kind: RefundKind = RefundKind.REFUND
    ) -> None:
        record_refund(
            invoice_id=invoice.pk,
            gateway=gateways.MANUAL,
            reference=f"refund-{invoice.number}",
            amount=_part_of(invoice.gross, percent),
            kind=kind,
            now=self._clock.now,
        )

    def judge_reviews(self, *, before_days: int = 5) -> None:
        before = self._clock.now - timedelta(days=before_days)
        open_reviews = FraudReview.objects.filter(
            brand=self._program.brand,
            outcome=ReviewOutcome.OPEN,
            found_at__lt=before,
        )
        for review in open_reviews.order_by("pk"):
            self._reviews += 1
            judge = reject_sales if self._reviews % 3 == 1 else release_sales
            judge(
                review_ids=[review.pk],
                actor_id=self._program.admin.pk,
                note="Wrote to the client.",
                now=self._clock.now,
            )

    def approve_matured(self) -> None:
        waiting = Commission.objects.filter(
            brand=self._program.brand, status=CommissionStatus.MATURED
        )
        if ids := list(waiting.values_list("pk", flat=True)):
            act(
                StaffAction.APPROVE,
                commission_ids=ids,
                actor_id=self._program.admin.pk,
                reason="Checked with the agency.",
                now=self._clock.now,
            )

    def hold_one(self, reason: str) -> None:
        pending = Commission.objects.filter(
            brand=self._program.brand, status=CommissionStatus.PENDING, share_of=None
        )
        act(
            StaffAction.HOLD,
            commission_ids=[pending.order_by("-pk")[3].pk],
            actor_id=self._program.admin.pk,
            reason=reason,
            now=self._clock.now,
        )

    def pay(self, *, is_open: bool = False) -> None:
        """A payout run: drafted and approved by finance, confirmed three days later.

        ``is_open``: the bank has not answered yet.
        """
        self._runs += 1
        clock, finance = self._clock, self._program.finance.pk
        run = self.draft_run()
        if not run.lines.filter(payout__isnull=False).exists():
            return
        clock.now += timedelta(hours=2)
        approve_run(run_id=run.pk, actor_id=finance, now=clock.now)
        if not is_open:
            clock.now += timedelta(days=3)
            self._confirm(run)
            clock.now -= timedelta(days=3)
        clock.now -= timedelta(hours=2)

    def draft_run(self) -> PayoutRun:
        run = start_run(
            brand_id=self._program.brand.pk,
            period=None,
            actor_id=self._program.finance.pk,
            now=self._clock.now,
        )
        return draft(run, clock=lambda: self._clock.now, should_stop=lambda: False)

    def _confirm(self, run: PayoutRun) -> None:
        payouts = Payout.objects.filter(
            pk__in=run.lines.values("payout"),
            status__in=(PayoutStatus.APPROVED, PayoutStatus.EXPORTED),
        ).order_by("pk")
        for payout in payouts:
            confirm_payout(
                payout_id=payout.pk,
                reference=f"{self._clock.now:%Y%m%d}-{payout.pk:05d}",
                actor_id=self._program.finance.pk,
                now=self._clock.now,
            )
        if self._runs == RETURNED_IN_RUN:
            self._return(run.lines.values("payout"))
        close_if_finished(run_id=run.pk, now=self._clock.now)

    def _return(self, payouts: QuerySet[Any]) -> None:
        payout = Payout.objects.get(pk__in=payouts, affiliate__code=RETURNED_TO)
        return_payout(
            payout_id=payout.pk,
            reason="The bank answered: account closed.",
            actor_id=self._program.finance.pk,
            now=self._clock.now + timedelta(hours=5),
        )

    def reward(
        self, code: str, amount: int, reason: str, *, is_held: bool = False
    ) -> None:
        adjust(
            [
                NewAdjustment(
                    affiliate_id=self._program.affiliates[code].pk,
                    currency="EUR",
                    amount=amount,
                    reason=reason,
                    is_held=is_held,
                )
            ],
            brand_id=self._program.brand.pk,
            actor_id=self._program.admin.pk,
            now=self._clock.now,
        )

    def suspend(self, code: str) -> None:
        suspend(
            [self._program.affiliates[code].pk],
            pending=WhatIsPending.HELD,
            reason="Advertises on our brand's name, against the terms.",
            actor_id=self._program.admin.pk,
            now=self._clock.now,
        )

    def hear_claim(self, code: str, invoice: Invoice, *, is_granted: bool) -> None:
        """An affiliate misses a sale, and somebody answers two days later."""
        claim = self.claim(code, str(invoice.order_id), "My client told me so.")
        if claim.status != ClaimStatus.OPEN:
            return
        self._clock.now += timedelta(days=2)
        if is_granted:
            referral = OrderReferral.objects.get(order_ref=str(invoice.order_id))
            grant_claim(
                claim_id=claim.pk,
                referral_id=referral.pk,
                reason="The client names the affiliate.",
                answer="Thank you, the order is yours.",
                actor_id=self._program.admin.pk,
                now=self._clock.now,
            )
        else:
            decline_claim(
                claim_id=claim.pk,
                answer="This client had ordered here two years ago.",
                actor_id=self._program.admin.pk,
                now=self._clock.now,
            )
        self._clock.now -= timedelta(days=2)

    def claim(self, code: str, order: str, note: str) -> MissingSaleClaim:
        claim, _ = submit_claim(
            affiliate=self._program.affiliates[code],
            hints=Hints(order=order),
            note=note,
            now=self._clock.now,
        )
        return claim


def _part_of(amount: Money, percent: int) -> Money:
    return Money(round(amount.amount * percent / WHOLE, 2), amount.currency)
