"""The three kinds of history: one that is over, one that is going on, and traffic."""

from __future__ import annotations

from datetime import timedelta

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.maturing import mature_all
from affiliates.commissions.services.staff import approve, hold, reject
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import Hints
from affiliates.contrib.claims.services import decline_claim, submit_claim
from affiliates.errors import StateConflict
from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import ReviewOutcome
from affiliates.fraud_review.services import reject_sales, release_sales
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import account_balances
from affiliates.payouts.models import Payout
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.payouts.services.requests import request_payout
from portal.demo.seeding.histories import History

# What is over took so long: orders, the end of every hold, payouts, late refunds.
FINISHED_DAYS = 75
ORDERING_DAYS = 20
GOING_ON_DAYS = 38


def tell_finished(history: History, *, orders: int) -> None:
    """Everything is decided and paid in the end."""
    began = history.now
    _sell(history, orders=orders, days=ORDERING_DAYS)
    history.now = began + timedelta(days=ORDERING_DAYS, hours=1)
    _refund_some(history, one_in=14)
    _judge_reviews(history, is_all=True)
    history.now = began + timedelta(days=ORDERING_DAYS + 35)
    mature_all(now=lambda: history.now)
    _approve_matured(history)
    payouts = _request_payouts(history)
    history.now += timedelta(days=2)
    _pay_payouts(history, payouts)
    history.now += timedelta(days=5)
    _refund_some(history, one_in=40)
    history.deliver(is_finished=True)


def tell_going_on(history: History, *, orders: int) -> None:
    """Some of everything waits for somebody."""
    began = history.now
    _sell(history, orders=orders, days=ORDERING_DAYS)
    history.now = began + timedelta(days=ORDERING_DAYS, hours=1)
    _refund_some(history, one_in=20)
    _judge_reviews(history, is_all=False)
    pending = list(
        Commission.objects.filter(
            brand=history.program.brand, status=CommissionStatus.PENDING
        ).values_list("pk", flat=True)
    )
    actor = history.program.staff.pk
    if pending:
        hold(
            commission_ids=pending[:1],
            actor_id=actor,
            reason="The client asked for help.",
            now=history.now,
        )
        reject(
            commission_ids=pending[1:2],
            actor_id=actor,
            reason="A test order.",
            now=history.now,
        )
    # The hold of the first orders is over by now, of the others not.
    history.now = began + timedelta(days=GOING_ON_DAYS)
    mature_all(now=lambda: history.now)
    payouts = _request_payouts(history)
    approve_payouts(payout_ids=payouts[:2], actor_id=actor, now=history.now)
    _claim_some(history)
    history.deliver(is_finished=False)


def tell_traffic(history: History, *, clicks: int) -> None:
    """Visits of a day that nobody ordered after."""
    began = history.now
    step = timedelta(days=1) / clicks
    buyer = history.arrive()
    for number in range(clicks):
        history.now = began + number * step
        if history.dice.random() < 0.7:
            buyer = history.arrive()
        history.visit(buyer, is_robot=history.dice.random() < 0.12)


def _sell(history: History, *, orders: int, days: int) -> None:
    began, step = history.now, timedelta(days=days) / orders
    for number in range(orders):
        history.now = began + number * step
        buyer = history.arrive()
        if number % 12 != 11:
            history.visit(buyer)
        history.now += timedelta(minutes=history.dice.randint(2, 50))
        if number % 5 == 0:
            history.visit(buyer)
            history.now += timedelta(minutes=history.dice.randint(2, 50))
        invoice = history.order(buyer)
        history.now += timedelta(minutes=5)
        if number % 8 != 7:
            history.pay(invoice)
            invoice.refresh_from_db()


def _refund_some(history: History, *, one_in: int) -> None:
    paid = [invoice for invoice in history.invoices if invoice.status == "paid"]
    for number, invoice in enumerate(paid):
        if number % one_in == one_in // 2:
            history.refund(invoice, share=(100, 30)[number // one_in % 2])
            invoice.refresh_from_db()


def _judge_reviews(history: History, *, is_all: bool) -> None:
    reviews = FraudReview.objects.filter(
        brand=history.program.brand, outcome=ReviewOutcome.OPEN
    )
    ids = list(reviews.order_by("pk").values_list("pk", flat=True))
    if not is_all:
        ids = ids[: len(ids) // 2]
    for number, review_id in enumerate(ids):
        judge = reject_sales if number % 4 == 3 else release_sales
        judge(
            review_ids=[review_id],
            actor_id=history.program.staff.pk,
            note="Looked at.",
            now=history.now,
        )


def _approve_matured(history: History) -> None:
    waiting = Commission.objects.filter(
        brand=history.program.brand, status=CommissionStatus.MATURED
    )
    if ids := list(waiting.values_list("pk", flat=True)):
        approve(
            commission_ids=ids,
            actor_id=history.program.staff.pk,
            reason="In order.",
            now=history.now,
        )


def _request_payouts(history: History) -> list[int]:
    requested = []
    owed = account_balances().filter(
        affiliate__in=history.affiliates, account=Account.PAYABLE, balance__gt=0
    )
    for affiliate_id in owed.order_by("affiliate_id").values_list(
        "affiliate_id", flat=True
    ):
        try:
            payout = request_payout(
                affiliate_id=affiliate_id, currency="EUR", now=history.now
            )
        except StateConflict:
            # Below the minimum, or not active any more.
            continue
        requested.append(payout.pk)
    return requested


def _pay_payouts(history: History, payouts: list[int]) -> None:
    """By file where there is one; the last is rejected, so its money is payable again."""
    actor, now = history.program.staff.pk, history.now
    if len(payouts) > 2:
        reject_payout(
            payout_id=payouts.pop(), reason="Account closed.", actor_id=actor, now=now
        )
    approve_payouts(payout_ids=payouts, actor_id=actor, now=now)
    for kind in ("paypal", "bank"):
        of_kind = Payout.objects.filter(pk__in=payouts, destination__kind=kind)
        if ids := list(of_kind.values_list("pk", flat=True)):
            export_batch(payout_ids=ids, actor_id=actor, now=now)
    for payout_id in payouts:
        paid = confirm_payout(
            payout_id=payout_id, reference="By transfer.", actor_id=actor, now=now
        )
        # Statements are not copied: no copy of the payout may name one.
        paid.change(stated_as="")


def _claim_some(history: History) -> None:
    for number, affiliate in enumerate(history.affiliates[:4]):
        invoice = history.invoices[number * 7 % len(history.invoices)]
        submit_claim(
            affiliate=affiliate,
            hints=Hints(order=str(invoice.order_id)),
            note="My client ordered this.",
            now=history.now,
        )
    unanswered = MissingSaleClaim.objects.filter(
        brand=history.program.brand, status="open"
    ).order_by("created_at", "pk")
    for claim in unanswered[1:2]:
        decline_claim(
            claim_id=claim.pk,
            answer="The client came by themselves.",
            actor_id=history.program.staff.pk,
            now=history.now,
        )
