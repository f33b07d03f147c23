"""Random lives of a program: whatever happens, in whatever order, the books add up."""

from __future__ import annotations

import os
from io import StringIO
from random import getrandbits
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import Sum
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import approve, hold, reject, release
from affiliates.contrib.statistics.services import count_changes
from affiliates.ledger.models import AccountBalance, LedgerEntry
from affiliates.ledger.rules import Account, PostingKind
from affiliates.membership.departures import settle_departures
from affiliates.payouts.rules import PayoutStatus
from affiliates.program.rules import AffiliateStatus
from affiliates.sales.models import Sale, SaleReversal
from tests.affiliates.verification.acts import ANY, CURRENCY, LINES, pick
from tests.affiliates.verification.payout_acts import PayoutActs
from tests.affiliates.verification.refund_acts import RefundActs
from tests.factories.credits import bases_after_credits
from tests.factories.world import Visitor
from tests.lengths import times

RUNS = int(os.environ.get("STATEFUL_RUNS", times(2, long=300)))
STEPS = 40
# Each part is a test of its own, so that parts run beside each other.
PARTS = times(2, long=10)

NOTHING = st.just([("hosting", "monthly", 0)])


class Program(RefundActs, PayoutActs):
    """Everyday business: visits and orders."""

    def teardown(self) -> None:
        try:
            self.require_agreement()
        finally:
            super().teardown()

    def require_agreement(self) -> None:
        # After an error nothing can be asked, and the error is what is to be shown.
        if not connection.needs_rollback:
            count_changes(now=lambda: self.world.now)
            assert told("verify_ledger", "--deep") == []
            assert told("replay_decisions") == []
            for day in self.world.days:
                assert told("verify_statistics", f"--from={day}", f"--to={day}") == []
            require_credits_set_off()
            require_positions()
            self.require_nothing_due()

    def require_nothing_due(self) -> None:
        """Settling again changes nothing, and all proofs agree after it."""
        settle_departures(lambda: self.world.now, lambda: False)
        assert settle_departures(lambda: self.world.now, lambda: False) == ""
        assert told("verify_ledger", "--deep") == []

    @rule(who=ANY, whom=ANY, is_new=st.booleans())
    def visit(self, who: int, whom: int, is_new: bool) -> None:
        visitors = self.world.visitors
        visitor = self.world.arrive() if is_new or not visitors else pick(visitors, who)
        self.world.visit(visitor, pick(self.world.affiliates, whom))

    @precondition(lambda self: self.strangers())
    @rule(who=ANY)
    def register(self, who: int) -> None:
        self.world.register(pick(self.strangers(), who))

    @precondition(lambda self: self.clients())
    @rule(who=ANY, currency=CURRENCY, lines=LINES | NOTHING)
    def convert(self, who: int, currency: str, lines: list[Any]) -> None:
        self.world.convert(pick(self.clients(), who), currency=currency, lines=lines)

    @precondition(lambda self: self.clients())
    @rule(who=ANY, currency=CURRENCY, lines=LINES)
    def buy_elsewhere(self, who: int, currency: str, lines: list[Any]) -> None:
        """An order that the host tells of later."""
        visitor = pick(self.clients(), who)
        self.world.buy_elsewhere(visitor, currency=currency, lines=lines)

    @precondition(lambda self: self.world.orders)
    @rule(which=ANY, lines=LINES | NOTHING | st.none(), is_paid=st.booleans())
    def renew(self, which: int, lines: list[Any] | None, is_paid: bool) -> None:
        invoice = self.world.renew(pick(self.world.orders, which), lines)
        if is_paid:
            self.world.pay(invoice)

    @rule(days=st.sampled_from([0, 1, 20, 45, 100]))
    def time_passes(self, days: int) -> None:
        self.world.pass_by(days=days, minutes=1)
        mature_due(now=self.world.now)

    @precondition(lambda self: Commission.objects.exists())
    @rule(
        which=ANY,
        act=st.sampled_from(
            [
                approve,
                hold,
                release,
                reject,
            ]
        ),
    )
    def staff_decides(self, which: int, act: Any) -> None:
        ids = list(Commission.objects.order_by("pk").values_list("pk", flat=True))
        act(
            commission_ids=[pick(ids, which)],
            actor_id=self.staff,
            reason="Looked at.",
            now=self.world.now,
        )

    # By staff. Nobody becomes pending again, and an affiliate leaves by itself.
    @rule(
        whom=ANY,
        status=st.sampled_from([AffiliateStatus.ACTIVE, AffiliateStatus.SUSPENDED]),
    )
    def change_status(self, whom: int, status: AffiliateStatus) -> None:
        self.world.set_status(pick(self.world.affiliates, whom), status)

    @invariant()
    def every_posting_sums_to_zero(self) -> None:
        unequal = (
            LedgerEntry.objects.values("posting", "currency")
            .annotate(total=Sum("amount"))
            .exclude(total=0)
            .order_by()
        )
        assert list(unequal) == []

    @invariant()
    def entries_explain_every_balance(self) -> None:
        account = ("affiliate_id", "account", "currency")
        entries = LedgerEntry.objects.order_by().values_list(*account)
        explained = {
            tuple(key): total
            for *key, total in entries.annotate(total=Sum("amount"))
            if total
        }
        parts = AccountBalance.objects.order_by().values_list(*account)
        kept = {
            tuple(key): total
            for *key, total in parts.annotate(total=Sum("amount"))
            if total
        }
        assert kept == explained

    @invariant()
    def no_sale_is_credited_twice(self) -> None:
        sales = Sale.objects.values_list("invoice_ref", flat=True)
        assert len(sales) == len(set(sales))
        live = Commission.objects.exclude(status=CommissionStatus.REJECTED)
        own = live.filter(share_of__isnull=True)
        credited = own.values_list("sale_id", flat=True)
        assert len(credited) == len(set(credited))
        earned = list(
            LedgerEntry.objects.filter(
                posting__kind=PostingKind.EARNED, account=Account.EXPENSE
            ).values_list("posting__commission_id", "amount")
        )
        amounts = Commission.objects.exclude(amount=0).values_list("pk", "amount")
        assert sorted((pk, -amount) for pk, amount in earned) == sorted(amounts)

    @invariant()
    def reversals_stay_within_their_originals(self) -> None:
        for commission in Commission.objects.annotate(back=Sum("reversals__amount")):
            assert 0 <= commission.amount + (commission.back or 0) <= commission.amount
        taken: dict[int, Any] = {}
        for reversal in SaleReversal.objects.select_related("sale"):
            left = taken.get(reversal.sale_id, reversal.sale.net) + reversal.net
            # A credit note's net is below zero, and stays.
            least, most = sorted([0, reversal.sale.net.amount])
            assert least <= left.amount <= most
            taken[reversal.sale_id] = left

    @invariant()
    def a_paid_commission_is_in_a_paid_payout(self) -> None:
        paid = Commission.objects.filter(status=CommissionStatus.PAID)
        assert not paid.exclude(payout__status=PayoutStatus.PAID).exists()

    def strangers(self) -> list[Visitor]:
        return [one for one in self.world.visitors if one.client is None]

    def clients(self) -> list[Visitor]:
        return [one for one in self.world.visitors if one.client is not None]


def require_credits_set_off() -> None:
    """By a model of the tests: what the receipts say follows from the receipts."""
    for commission in Commission.objects.filter(share_of__isnull=True).prefetch_related(
        "lines"
    ):
        receipts = [line.receipt for line in commission.lines.all()]
        assert [one["steps"][0]["amount"] for one in receipts] == bases_after_credits(
            [
                (one["line"]["product_ref"], one["line"]["kind"], one["inputs"]["net"])
                for one in receipts
            ]
        )


def require_positions() -> None:
    """What was known of an order when its sale was recorded; one invoice is the first."""
    firsts: set[int] = set()
    for sale in Sale.objects.order_by("pk"):
        known = Sale.objects.filter(order_referral=sale.order_referral, pk__lt=sale.pk)
        earlier = known.filter(renewal_number__lt=sale.renewal_number, net__lte=0)
        assert sale.position == sale.renewal_number - earlier.count()
        assert not (sale.is_first and sale.order_referral_id in firsts)
        firsts |= {sale.order_referral_id} if sale.is_first else set()


def told(command: str, *arguments: str) -> list[str]:
    """What the command finds to be wrong."""
    printed = StringIO()
    try:
        call_command(command, *arguments, stdout=printed, stderr=StringIO())
    except SystemExit as ended:
        return [*printed.getvalue().splitlines(), f"{command} ended with {ended.code}"]
    return []


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(
            part, marks=[] if part < max(PARTS // 3, 1) else pytest.mark.portable
        )
        for part in range(PARTS)
    ],
)
def test_books_add_up_after_every_step_of_random_programs(part):
    # pytest-randomly begins each test alike: without the part, all draw the same.
    run_state_machine_as_test(
        seed(f"{getrandbits(64)} {part}")(Program),
        settings=settings(
            # In the first nothing happens but time.
            max_examples=1 + RUNS // PARTS,
            stateful_step_count=STEPS,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
