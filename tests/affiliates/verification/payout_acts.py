"""Payouts of a random program: by request and by run, paid, rejected and returned."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from affiliates.contrib.payout_runs.models import PayoutRun
from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
)
from affiliates.contrib.payout_runs.services.approvals import (
    approve_run,
    close_if_finished,
    discard_run,
)
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.payouts.models import Payout
from affiliates.payouts.services import confirmations, decisions, requests
from affiliates.payouts.services.returns import return_payout
from tests.affiliates.payouts.bank import paid, paypal_items, returned, statement
from tests.affiliates.verification.acts import ANY, CURRENCY, Acts, attempt, pick

STATUS = st.sampled_from(["SUCCESS", "SUCCESS", "FAILED", "RETURNED"])


class PayoutActs(Acts):
    """What affiliates request, staff decide, and PayPal or the bank report."""

    @rule(whom=ANY, currency=CURRENCY)
    def request_payout(self, whom: int, currency: str) -> None:
        affiliate = pick(self.world.affiliates, whom)
        attempt(
            requests.request_payout,
            affiliate_id=affiliate.pk,
            currency=currency,
            now=self.world.now,
        )

    @rule(whom=ANY, currency=CURRENCY, comes_back=st.integers(0, 2))
    def pay_out(self, whom: int, currency: str, comes_back: int) -> None:
        """From the request to the payment, which may come back, and is returned twice."""
        self.request_payout(whom, currency)
        if Payout.objects.exists():
            self.approve_payout(place := Payout.objects.count() - 1)
            self.confirm_payout(place)
            for _ in range(comes_back):
                self.money_comes_back(place)

    @precondition(lambda self: Payout.objects.exists())
    @rule(which=ANY)
    def approve_payout(self, which: int) -> None:
        decisions.approve_payouts(
            payout_ids=[self.payout(which)], actor_id=self.staff, now=self.world.now
        )

    @precondition(lambda self: Payout.objects.exists())
    @rule(which=ANY)
    def confirm_payout(self, which: int) -> None:
        number = self.payout(which)
        attempt(
            confirmations.confirm_payout,
            payout_id=number,
            reference=f"transfer {number}",
            actor_id=self.staff,
            now=self.world.now,
        )

    @precondition(lambda self: Payout.objects.exists())
    @rule(which=ANY)
    def reject_payout(self, which: int) -> None:
        attempt(
            decisions.reject_payout,
            payout_id=self.payout(which),
            reason="The account is closed.",
            actor_id=self.staff,
            now=self.world.now,
        )

    @rule()
    def draft_run(self) -> None:
        run = start_run(
            brand_id=self.world.brand.pk,
            period=None,
            actor_id=self.staff,
            now=self.world.now,
        )
        draft(run, clock=lambda: self.world.now, should_stop=lambda: False)

    @precondition(lambda self: PayoutRun.objects.exists())
    @rule(which=ANY)
    def release_run(self, which: int) -> None:
        attempt(
            approve_run,
            run_id=self.run(which),
            actor_id=self.treasurer,
            now=self.world.now,
        )

    @precondition(lambda self: PayoutRun.objects.exists())
    @rule(which=ANY)
    def drop_run(self, which: int) -> None:
        attempt(
            discard_run,
            run_id=self.run(which),
            reason="Looked at.",
            actor_id=self.treasurer,
            now=self.world.now,
        )

    @rule(statuses=st.lists(STATUS, max_size=4))
    def pay_by_run(self, statuses: list[str]) -> None:
        """Each payout is reported several times."""
        self.draft_run()
        run = PayoutRun.objects.latest("pk")
        attempt(approve_run, run_id=run.pk, actor_id=self.treasurer, now=self.world.now)
        for payout in Payout.objects.filter(batch__in_run__run=run).order_by("pk"):
            for status in statuses:
                self.report_payout(payout, status)

    @precondition(lambda self: Payout.objects.exists())
    @rule(which=ANY, status=STATUS)
    def answer(self, which: int, status: str) -> None:
        """PayPal or the bank reports a payout, also one that it was never sent."""
        self.report_payout(pick(list(Payout.objects.order_by("pk")), which), status)

    def report_payout(self, payout: Payout, status: str) -> None:
        reference = f"PAYOUT-{payout.pk}"
        content = paypal_items((reference, status, payout.amount))
        if payout.destination.kind == "bank":
            entry = paid if status == "SUCCESS" else returned
            content = statement(entry(reference, payout.amount))
        kept = keep_answer(
            brand_id=self.world.brand.pk,
            name=f"{status}.json",
            content=content,
            actor_id=self.treasurer,
            now=self.world.now,
        )
        begin_answer(answer_id=kept.pk, actor_id=self.treasurer)
        apply_answer(
            answer_id=kept.pk, clock=lambda: self.world.now, should_stop=lambda: False
        )
        for run in PayoutRun.objects.order_by("pk"):
            close_if_finished(run_id=run.pk, now=self.world.now)

    @precondition(lambda self: Payout.objects.exists())
    @rule(which=ANY)
    def money_comes_back(self, which: int) -> None:
        attempt(
            return_payout,
            payout_id=self.payout(which),
            reason="It came back.",
            actor_id=self.treasurer,
            now=self.world.now,
        )

    def payout(self, which: int) -> int:
        return pick(
            list(Payout.objects.order_by("pk").values_list("pk", flat=True)), which
        )

    def run(self, which: int) -> int:
        return pick(
            list(PayoutRun.objects.order_by("pk").values_list("pk", flat=True)), which
        )
