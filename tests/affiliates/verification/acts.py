"""What staff, the host and the worker do in a random program, beside everyday business."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from affiliates.commissions.services.adjusting import NewAdjustment, adjust
from affiliates.contrib.statistics.services import freeze_days
from affiliates.errors import AffiliatesError
from affiliates.host_events import client_erased
from affiliates.membership.departures import leave, settle_departures
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.services.destinations import change_destination
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.services import publish_plan
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.settlement.services import override_attribution
from affiliates.visits.models import Click
from affiliates.worker.purges import purge
from tests.affiliates.privacy.retention.clicks import purgeable
from tests.factories.payouts import GIVEN, OWN_ACCOUNT
from tests.factories.programs import make_world
from tests.factories.world import Order, World
from tests.guard.markers import marker

ANY = st.integers(min_value=0, max_value=1_000)
KIND = st.sampled_from(["hosting", "domain", "addon", "setup"])
CYCLE = st.sampled_from(["monthly", "annually", "one_time"])
# Below zero is a credit.
NET = st.integers(min_value=-(10**6), max_value=10**7)
FEW_LINES = st.lists(st.tuples(KIND, CYCLE, NET), min_size=1, max_size=3)
# Usage by the hour: small amounts, of which each alone earns less than a minor unit.
MANY_LINES = st.lists(
    st.tuples(KIND, CYCLE, st.integers(min_value=1, max_value=9)),
    min_size=10,
    max_size=30,
)
LINES = FEW_LINES | FEW_LINES | MANY_LINES
CURRENCY = st.sampled_from(["EUR", "EUR", "JPY", "KWD"])
# Of what is left after these days, no more clicks are kept.
DAYS_OF_CLICKS = 7


class Acts(RuleBasedStateMachine):
    """A program at work. Every run is rolled back, so it begins with empty books."""

    def __init__(self) -> None:
        super().__init__()
        with ExitStack() as stack:
            stack.enter_context(transaction.atomic())
            self.world = make_program_of_recruiters()
            self.staff = self.world.affiliates[0].user_id
            treasurer = "treasurer@example.com"
            self.treasurer = self.world.host.client(
                self.world.brand, email=treasurer
            ).pk
            self.rolled_back = stack.pop_all()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.rolled_back.close()

    @initialize(lines=LINES)
    def sell_first(self, lines: list[Any]) -> None:
        """Something can be paid out at once: the second affiliate's plan has no hold."""
        self.sell(1, "EUR", lines, is_paid=True)

    @rule(whom=ANY, currency=CURRENCY, lines=LINES, is_paid=st.booleans())
    def sell(self, whom: int, currency: str, lines: list[Any], is_paid: bool) -> None:
        """The whole way of a new client at once."""
        affiliate = pick(self.world.affiliates, whom)
        order = self.world.sell(affiliate, currency=currency, lines=lines)
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
    def a_minute_passes(self) -> None:
        """The first rule: Hypothesis begins with a history of this one alone."""
        self.world.pass_by(minutes=1)

    @rule()
    def clean_up(self) -> None:
        """The nightly job, and the old clicks once the statistics hold them."""
        now, brand = self.world.now, self.world.brand
        purge(lambda: now, lambda: False)
        before = now - timedelta(days=DAYS_OF_CLICKS)
        freeze_days(brand, before=before, now=now)
        old = [one.pk for one in purgeable(brand, before)]
        Click.objects.filter(pk__in=old).delete()

    @rule(whom=ANY, gives_up=st.booleans())
    def leave(self, whom: int, gives_up: bool) -> None:
        attempt(
            leave,
            affiliate_id=pick(self.world.affiliates, whom).pk,
            gives_up=gives_up,
            now=self.world.now,
        )

    @rule()
    def settle_departures(self) -> None:
        settle_departures(lambda: self.world.now, lambda: False)

    @rule(who=ANY, how=st.sampled_from([1_00, -1_00, 5_55]), is_held=st.booleans())
    def adjust(self, who: int, how: int, is_held: bool) -> None:
        affiliate = pick(self.world.affiliates, who)
        attempt(
            adjust,
            wanted=[NewAdjustment(affiliate.pk, "EUR", how, "By hand.", is_held)],
            brand_id=affiliate.brand_id,
            actor_id=None,
            now=self.world.now,
        )

    @precondition(lambda self: ClientReferral.objects.exists())
    @rule(which=ANY)
    def erase(self, which: int) -> None:
        bound = pick(list(ClientReferral.objects.order_by("pk")), which)
        attempt(
            client_erased,
            brand_id=bound.brand_id,
            client_id=str(bound.client_id),
            email="",
            reason=marker("staff", "erasure"),
            now=self.world.now,
        )

    def unplaced(self) -> list[Order]:
        return [one for one in self.world.orders if not one.is_placed]


def make_program_of_recruiters() -> World:
    """The second affiliate recruited the first, who recruited the third.

    The second is paid by PayPal, the third by the bank, whose answers runs wait for.
    """
    world = make_world()
    first, second, third = world.affiliates
    for recruited, recruiter in ((first, second), (third, first)):
        Affiliate.objects.filter(pk=recruited.pk).update(recruiter=recruiter)
    for plan in CommissionPlan.objects.exclude(pk=second.plan_id):
        plan.recruiter_percent = Decimal("33.333")
        plan.save(update_fields=["recruiter_percent"])
        publish_plan(plan, now=world.now - timedelta(days=1))
    PayoutTerms.objects.get(brand=world.brand).change(**OWN_ACCOUNT)
    for affiliate, kind in (
        (second, "paypal"),
        (third, "bank"),
    ):
        change_destination(
            affiliate_id=affiliate.pk, kind=kind, values=GIVEN[kind], now=world.now
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
