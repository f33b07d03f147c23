"""A small program in which everything has happened, by the services alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import hold
from affiliates.contracts import RefundKind
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.payouts.services.requests import request_payout
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.services import publish_coupon, publish_plan
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import override_attribution
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
    return program


def _change_terms(world: World) -> None:
    """Every kind of terms has a second version, and there is a second brand."""
    brand, affiliate = world.brand, world.affiliates[0]
    coupon = CouponCodeFactory(affiliate=affiliate, code="SUMMER")
    coupon.percent = Decimal(20)
    coupon.save()
    publish_coupon(coupon, now=world.now)
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
    """One payout is rejected, the next is paid."""
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
    approve_payouts(payout_ids=[second.pk], actor_id=staff, now=world.now)
    world.pass_by(minutes=1)
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
        "paid out": 1_000,
        "of nobody": 1_000,
    }
    for name, amount in refunds.items():
        invoice = program.orders[name].invoices[0]
        program.world.refund(invoice, amount, kind=RefundKind.REFUND)
        program.world.pass_by(minutes=1)
