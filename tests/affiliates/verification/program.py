"""A small program in which everything has happened, by the services alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.apps import apps
from moneyed import Money

from affiliates.commissions.models import Adjustment, Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.adjusting import (
    NewAdjustment,
    adjust,
    end_held_bonus,
)
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import hold
from affiliates.contracts import RefundKind
from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
)
from affiliates.contrib.payout_runs.services.approvals import (
    approve_run,
    close_if_finished,
)
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.core.versions import publish
from affiliates.ledger.rules import PostingKind
from affiliates.membership.departures import leave
from affiliates.operations.recovery.services import recover
from affiliates.payouts.models import Payout, PayoutTerms
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.services import publish_coupon, publish_plan
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import override_attribution
from tests.affiliates.payouts.bank import paypal_items
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.plans import CommissionPlanFactory, CouponCodeFactory
from tests.factories.programs import make_world
from tests.factories.world import Order, World

LINES = [("hosting", "annually", 10_000), ("domain", "annually", 1_500)]


@dataclass(frozen=True, kw_only=True)
class Program:
    """Three affiliates: 30 days of hold, none, and one whose commissions staff approve."""

    world: World
    orders: dict[str, Order]

    @property
    def staff(self) -> Any:
        return self.world.affiliates[0].user_id

    def referral(self, name: str) -> OrderReferral:
        return OrderReferral.objects.get(order_ref=self.orders[name].ref)

    def commission(self, name: str) -> Commission:
        """The first live one of the order."""
        of_order = Commission.objects.filter(sale__order_referral=self.referral(name))
        return of_order.exclude(status=CommissionStatus.REJECTED).earliest("pk")


def make_program() -> Program:
    world = make_world()
    _change_terms(world)
    waiting, at_once, by_staff = world.affiliates
    orders = {
        "partly refunded": _paid_order(world, waiting),
        "wholly refunded": _paid_order(world, waiting),
        "restored": _paid_order(world, waiting),
        "waiting": _paid_order(world, waiting),
        "paid out": _paid_order(world, at_once),
        "moved twice": _paid_order(world, at_once),
        "held": _paid_order(world, by_staff),
        "of nobody": _paid_order(world, None),
    }
    program = Program(world=world, orders=orders)
    _pay_out(program, at_once)
    _give_to_others(program)
    _refund(program)
    hold(
        commission_ids=[program.commission("held").pk],
        actor_id=program.staff,
        reason="Looked at.",
        now=world.now,
    )
    world.pass_by(days=31)
    mature_due(now=world.now)
    world.pass_by(hours=1)
    world.pay(world.renew(orders["waiting"]))
    request_payout(affiliate_id=waiting.pk, currency="EUR", now=world.now)
    _adjust(program)
    _pay_by_runs(program)
    _restore(world)
    _leave(world)
    return program


def _leave(world: World) -> None:
    """Two affiliates leave and give up a bonus each, and a held one."""
    for number in (1, 2):
        user = world.host.client(world.brand, email=f"leaver-{number}@example.com")
        affiliate = AffiliateFactory(brand=world.brand, user=user)
        bonuses = [
            NewAdjustment(affiliate.pk, "EUR", number * 100, "Welcome."),
            NewAdjustment(affiliate.pk, "EUR", 300, "New year.", is_held=True),
        ]
        adjust(bonuses, brand_id=world.brand.pk, actor_id=None, now=world.now)
        leave(affiliate_id=affiliate.pk, gives_up=True, now=world.now)


def _restore(world: World) -> None:
    for _ in range(2):
        world.pass_by(hours=1)
        recover(restored_at=world.now, numbers=3, now=world.now, is_dry=False)


def _adjust(program: Program) -> None:
    """A bonus, a deduction, and held bonuses: one waits, the others have ended."""
    world, (_, one, another) = program.world, program.world.affiliates
    adjust(
        [
            NewAdjustment(one.pk, "EUR", 500, "Summer bonus."),
            NewAdjustment(one.pk, "EUR", -120, "Paid twice."),
            *(
                NewAdjustment(another.pk, "EUR", amount, "New year.", is_held=True)
                for amount in (700, 800, 900)
            ),
        ],
        brand_id=world.brand.pk,
        actor_id=program.staff,
        now=world.now,
    )
    held = Adjustment.objects.filter(kind=PostingKind.BONUS_HELD).order_by("amount")
    kinds = (PostingKind.BONUS_RELEASED, PostingKind.BONUS_WITHDRAWN)
    for bonus, kind in zip(held, kinds, strict=False):
        world.pass_by(minutes=1)
        end_held_bonus(
            adjustment_id=bonus.pk,
            kind=kind,
            reason="As agreed.",
            actor_id=program.staff,
            now=world.now,
        )


def _change_terms(world: World) -> None:
    """Every kind of terms has a second version, and there is a second brand."""
    brand, affiliate = world.brand, world.affiliates[0]
    change_destination(
        affiliate_id=affiliate.pk,
        kind="paypal",
        values={"email": "partner@example.org"},
        now=world.now,
    )
    coupon = CouponCodeFactory(affiliate=affiliate, code="SUMMER")
    coupon.percent = Decimal(20)
    coupon.save()
    publish_coupon(coupon, now=world.now)
    _change_offer(world)
    plan = CommissionPlan.objects.get(brand=brand, is_default=True)
    plan.hold_days = 30
    plan.allows_paid_ads = False
    plan.save()
    publish_plan(plan, now=world.now - timedelta(days=1))
    brand.attribution_window_days = 60
    brand.save()
    other = BrandFactory(name="Other", client_area="other.example.com")
    CommissionPlanFactory(brand=other, is_default=True)
    user = world.host.client(other, email="stranger@example.com")
    CouponCodeFactory(affiliate=AffiliateFactory(brand=other, user=user))


def _change_offer(world: World) -> None:
    """Of an app that a host may leave out."""
    if model := apps.all_models["affiliates_offers"].get("offer"):
        made = model.objects.create(brand=world.brand, name="Ten off", text="10 % off")
        for text in ("10 % off", "12 % off"):
            offer = model.objects.get(pk=made.pk).change(text=text)
            publish(offer.versions, offer.to_terms(), now=world.now)


def _paid_order(world: World, affiliate: Affiliate | None) -> Order:
    visitor = world.arrive()
    if affiliate is not None:
        world.visit(visitor, affiliate)
    world.pass_by(minutes=5)
    world.register(visitor)
    order = world.convert(visitor, currency="EUR", lines=LINES)
    world.pass_by(minutes=5)
    world.pay(order.invoices[0])
    world.pass_by(minutes=5)
    return order


def _pay_out(program: Program, affiliate: Affiliate) -> None:
    """One payout is rejected, the next is approved by two persons and paid."""
    world, staff = program.world, program.staff
    asked = {"affiliate_id": affiliate.pk, "currency": "EUR"}
    first = request_payout(**asked, now=world.now)
    world.pass_by(minutes=1)
    reject_payout(
        payout_id=first.pk, reason="Account closed.", actor_id=staff, now=world.now
    )
    world.pass_by(minutes=1)
    second = request_payout(**asked, now=world.now)
    world.pass_by(minutes=1)
    terms = PayoutTerms.objects.get(brand=world.brand)
    terms.change(needs_second_person=True)
    other = world.host.client(world.brand, email="controller@example.com").pk
    for actor_id in (staff, other):
        approve_payouts(payout_ids=[second.pk], actor_id=actor_id, now=world.now)
        world.pass_by(minutes=1)
    terms.change(needs_second_person=False)
    confirm_payout(
        payout_id=second.pk, reference="transfer 1", actor_id=staff, now=world.now
    )
    world.pass_by(minutes=1)


def _give_to_others(program: Program) -> None:
    world = program.world
    for affiliate in (world.affiliates[0], world.affiliates[2]):
        override_attribution(
            referral_id=program.referral("moved twice").pk,
            affiliate_id=affiliate.pk,
            reason=f"Agreed with {affiliate.code}.",
            actor_id=program.staff,
            now=world.now,
        )
        world.pass_by(minutes=1)


def _refund(program: Program) -> None:
    refunds = {
        "partly refunded": 2_000,
        "wholly refunded": 13_685,
        "restored": 13_685,
        "paid out": 1_000,
        "of nobody": 1_000,
    }
    world = program.world
    for name, amount in refunds.items():
        invoice = program.orders[name].invoices[0]
        world.refund(invoice, amount, kind=RefundKind.REFUND, ref=f"refund, {name}")
        world.pass_by(minutes=1)
    for name, gross in (
        ("restored", None),
        ("paid out", Money("4.00", "EUR")),
        ("of nobody", None),
    ):
        world.cancel_refund(f"refund, {name}", gross, ref=f"cancellation, {name}")
        world.pass_by(minutes=1)


def _pay_by_runs(program: Program) -> None:
    """What was asked for is paid by a run and comes back; the next has it set aside."""
    world, brand_id = program.world, program.world.brand.pk
    actor_id = world.host.client(world.brand, email="treasurer@example.com").pk
    first = start_run(brand_id=brand_id, period=None, actor_id=actor_id, now=world.now)
    draft(first, clock=lambda: world.now, should_stop=lambda: False)
    approve_run(run_id=first.pk, actor_id=actor_id, now=world.now)
    payout = Payout.objects.get(batch__in_run__run=first)
    for status in ("SUCCESS", "RETURNED"):
        world.pass_by(minutes=1)
        told = [("PAYOUT-0", status, 1), (f"PAYOUT-{payout.pk}", status, payout.amount)]
        answer = keep_answer(
            brand_id=brand_id,
            name=f"{status}.json",
            content=paypal_items(*told),
            actor_id=actor_id,
            now=world.now,
        )
        begin_answer(answer_id=answer.pk, actor_id=actor_id)
        apply_answer(
            answer_id=answer.pk,
            clock=lambda: world.now,
            should_stop=lambda: False,
        )
    world.pass_by(minutes=1)
    close_if_finished(run_id=first.pk, now=world.now)
    second = start_run(
        brand_id=brand_id, period=world.now.date(), actor_id=None, now=world.now
    )
    draft(second, clock=lambda: world.now, should_stop=lambda: False)
