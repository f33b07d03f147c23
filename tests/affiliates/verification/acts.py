"""What staff, the host and the worker do in a random program, beside everyday business."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

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
from affiliates.contrib.statistics.services import freeze_days
from affiliates.errors import AffiliatesError
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import DestinationKind
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.returns import return_payout
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.services import publish_plan
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import override_attribution
from affiliates.visits.models import Click
from affiliates.worker.purges import purge
from tests.affiliates.payouts.bank import paypal_items
from tests.affiliates.privacy.retention.clicks import purgeable
from tests.factories.programs import make_world
from tests.factories.world import Order, World

ANY = st.integers(min_value=0, max_value=1_000)
LINES = st.lists(
    st.tuples(
        st.sampled_from(["hosting", "domain", "addon", "setup"]),
        st.sampled_from(["monthly", "annually", "one_time"]),
        # Below zero is a credit.
        st.integers(min_value=-(10**6), max_value=10**7),
    ),
    min_size=1,
    max_size=3,
)
CURRENCY = st.sampled_from(["EUR", "EUR", "JPY", "KWD"])
# Of what is left after these days, no more clicks are kept.
DAYS_OF_CLICKS = 7


class Acts(RuleBasedStateMachine):
    """A program at work. Every run is rolled back, so it begins with empty books."""

    def __init__(self) -> None:
        super().__init__()
        self.rolled_back = transaction.atomic()
        self.rolled_back.__enter__()
        self.world = make_program_of_recruiters()
        self.staff = self.world.affiliates[0].user_id
        treasurer = "treasurer@example.com"
        self.treasurer = self.world.host.client(self.world.brand, email=treasurer).pk

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.rolled_back.__exit__(None, None, None)

    @initialize(lines=LINES)
    def sell_first(self, lines: list[Any]) -> None:
        """Something can be paid out at once: the second affiliate's plan has no hold."""
        self.sell(1, "EUR", lines, is_paid=True)

    @rule(whom=ANY, currency=CURRENCY, lines=LINES, is_paid=st.booleans())
    def sell(self, whom: int, currency: str, lines: list[Any], is_paid: bool) -> None:
        """The whole way of a new client at once."""
        visitor = self.world.arrive()
        self.world.visit(visitor, pick(self.world.affiliates, whom))
        self.world.register(visitor)
        order = self.world.convert(visitor, currency=currency, lines=lines)
        if is_paid:
            self.world.pay(order.invoices[0])

    @precondition(lambda self: self.unplaced())
    @rule(which=ANY)
    def place(self, which: int) -> None:
        """The host tells of an order, whose payments and refunds it may have told before."""
        self.world.place(pick(self.unplaced(), which))

    @rule(which=ANY, whom=ANY)
    def assign(self, which: int, whom: int) -> None:
        ids = list(OrderReferral.objects.order_by("pk").values_list("pk", flat=True))
        winner = pick([*self.world.affiliates, None], whom)
        attempt(
            override_attribution,
            referral_id=pick(ids, which),
            affiliate_id=winner and winner.pk,
            reason="It was theirs.",
            actor_id=self.staff,
            now=self.world.now,
        )

    @rule(
        giver=ANY,
        taker=ANY,
        parts=st.sets(st.sampled_from(TransferPart)),
        # One transfer in four ends the source.
        merges=st.integers(min_value=0, max_value=3).map(lambda drawn: drawn == 0),
        key=st.uuids(),
    )
    def give_to_another(
        self, giver: int, taker: int, parts: set[TransferPart], merges: bool, key: UUID
    ) -> None:
        attempt(
            transfer,
            wanted=Transfer(
                source_id=pick(self.world.affiliates, giver).pk,
                target_id=pick(self.world.affiliates, taker).pk,
                parts=parts,
                merges=merges,
                reason="They work together.",
                key=key,
            ),
            actor_id=self.treasurer,
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

    @precondition(lambda self: Payout.objects.exists())
    @rule(
        which=ANY, status=st.sampled_from(["SUCCESS", "SUCCESS", "FAILED", "RETURNED"])
    )
    def answer(self, which: int, status: str) -> None:
        """PayPal says of a payout, also of one that it was never sent, what became of it."""
        payout = pick(list(Payout.objects.order_by("pk")), which)
        kept = keep_answer(
            brand_id=self.world.brand.pk,
            name=f"{status}.json",
            content=paypal_items((f"PAYOUT-{payout.pk}", status, payout.amount)),
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
        ids = list(Payout.objects.order_by("pk").values_list("pk", flat=True))
        attempt(
            return_payout,
            payout_id=pick(ids, which),
            reason="It came back.",
            actor_id=self.treasurer,
            now=self.world.now,
        )

    @rule()
    def clean_up(self) -> None:
        """The nightly job, and the old clicks once the statistics hold them."""
        now, brand = self.world.now, self.world.brand
        purge(lambda: now, lambda: False)
        before = now - timedelta(days=DAYS_OF_CLICKS)
        freeze_days(brand, before=before, now=now)
        old = [one.pk for one in purgeable(brand, before)]
        Click.objects.filter(pk__in=old).delete()

    def unplaced(self) -> list[Order]:
        return [one for one in self.world.orders if not one.is_placed]

    def run(self, which: int) -> int:
        return pick(
            list(PayoutRun.objects.order_by("pk").values_list("pk", flat=True)), which
        )


def make_program_of_recruiters() -> World:
    """The second affiliate recruited the first, who recruited the third.

    The second is paid by PayPal, whose answers runs wait for.
    """
    world = make_world()
    first, second, third = world.affiliates
    for recruited, recruiter in ((first, second), (third, first)):
        Affiliate.objects.filter(pk=recruited.pk).update(recruiter=recruiter)
    for plan in CommissionPlan.objects.exclude(pk=second.plan_id):
        plan.recruiter_percent = 12
        plan.save(update_fields=["recruiter_percent"])
        publish_plan(plan, now=world.now - timedelta(days=1))
    change_destination(
        affiliate_id=second.pk,
        kind=DestinationKind.PAYPAL,
        given={"email": "second@example.org"},
        now=world.now,
    )
    return world


def pick(choices: list[Any], number: int) -> Any:
    return choices[number % len(choices)]


def attempt(act: Any, **arguments: Any) -> None:
    """A refusal is an answer like another: what counts is what it leaves behind."""
    try:
        with transaction.atomic():
            act(**arguments)
    except AffiliatesError:
        pass
