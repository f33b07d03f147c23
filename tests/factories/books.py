"""Movements of money, and what they are for, as other services leave it behind."""

from __future__ import annotations

from datetime import timedelta

import factory
from factory.django import DjangoModelFactory

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.forfeit_models import ForfeitDeduction, ForfeitedAmount
from affiliates.commissions.models import (
    Adjustment,
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus, StepReason
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import Account, Movement, PostingKind
from affiliates.ledger.services import post
from affiliates.payouts.models import Payout, PayoutDestination, PayoutEvent
from affiliates.payouts.rules import PayoutStatus
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.referrals.models import DecisionOverride, OrderCandidate
from tests.factories.affiliates import AffiliateDepartureFactory
from tests.factories.ledger import (
    NOW,
    OrderReferralFactory,
    SaleFactory,
    SaleReversalFactory,
)
from tests.guard.markers import marker, number_of


class MovementFactory(factory.Factory):
    """12.50 EUR earned. ``affiliate`` must be given."""

    class Meta:
        model = Movement
        exclude = ("affiliate",)

    kind = PostingKind.EARNED
    key = factory.Sequence(lambda number: f"earned:{number}")
    source = Account.EXPENSE
    target = Account.PENDING
    affiliate_id = factory.SelfAttribute("affiliate.pk")
    brand_id = factory.SelfAttribute("affiliate.brand_id")
    currency = "EUR"
    amount = 1250


class AdjustmentFactory(DjangoModelFactory):
    """A bonus of 12.50 EUR with its posting. ``affiliate`` must be given."""

    class Meta:
        model = Adjustment

    brand_id = factory.SelfAttribute("affiliate.brand_id")
    kind = PostingKind.BONUS
    currency = "EUR"
    amount = 1250
    reason = factory.LazyAttribute(
        lambda row: marker("affiliate", "adjustment", number_of(row.affiliate.user))
    )
    key = factory.Sequence(lambda number: f"bonus:{number}")
    at = NOW

    @factory.lazy_attribute
    def posting(self):
        movement = MovementFactory(
            affiliate=self.affiliate,
            kind=self.kind,
            key=f"adjustment:{self.key}",
            target=Account.PAYABLE,
            amount=self.amount,
        )
        post([movement], now=self.at)
        return LedgerPosting.objects.get(key=movement.key)


class CommissionFactory(DjangoModelFactory):
    """10.00 EUR of a sale of 100.00 EUR. ``affiliate`` must be given."""

    class Meta:
        model = Commission

    sale = factory.SubFactory(
        SaleFactory,
        order_referral=factory.SubFactory(
            OrderReferralFactory,
            brand=factory.SelfAttribute("...affiliate.brand"),
            client=factory.SelfAttribute("...affiliate.user"),
        ),
        affiliate=factory.SelfAttribute("..affiliate"),
    )
    brand = factory.SelfAttribute("affiliate.brand")
    currency = "EUR"
    amount = 1000
    status = CommissionStatus.PENDING
    reason = StepReason.WAITS
    earned_at = NOW
    matures_at = NOW + timedelta(days=30)


class CommissionLineFactory(DjangoModelFactory):
    class Meta:
        model = CommissionLine

    position = 1
    amount = factory.SelfAttribute("commission.amount")
    receipt = factory.LazyFunction(dict)


class CommissionReversalFactory(DjangoModelFactory):
    class Meta:
        model = CommissionReversal

    sale_reversal = factory.SubFactory(
        SaleReversalFactory, sale=factory.SelfAttribute("..commission.sale")
    )
    amount = -200
    recorded_at = NOW + timedelta(days=2)


class CommissionEventFactory(DjangoModelFactory):
    class Meta:
        model = CommissionEvent

    after = CommissionStatus.PENDING
    reason = "Earned"
    reason_details = factory.LazyFunction(lambda: {"note": marker("staff", "decision")})
    at = NOW


class ForfeitedAmountFactory(DjangoModelFactory):
    """The rest of a payable balance. ``departure__affiliate`` must be given."""

    class Meta:
        model = ForfeitedAmount

    departure = factory.SubFactory(AffiliateDepartureFactory)
    currency = "EUR"
    amount = 1000


class ForfeitDeductionFactory(DjangoModelFactory):
    """``forfeited__departure__affiliate`` must be given."""

    class Meta:
        model = ForfeitDeduction

    forfeited = factory.SubFactory(ForfeitedAmountFactory)
    amount = factory.SelfAttribute("forfeited.amount")


class PayoutDestinationFactory(DjangoModelFactory):
    class Meta:
        model = PayoutDestination

    kind = "offline"
    usable_from = NOW
    created_at = NOW


class PayoutFactory(DjangoModelFactory):
    """``affiliate`` must be given."""

    class Meta:
        model = Payout

    brand = factory.SelfAttribute("affiliate.brand")
    destination = factory.SubFactory(
        PayoutDestinationFactory, affiliate=factory.SelfAttribute("..affiliate")
    )
    currency = "EUR"
    amount = 1000
    status = PayoutStatus.REQUESTED
    requested_at = NOW + timedelta(days=31)
    finished_at = factory.LazyAttribute(
        lambda row: (
            None if PayoutStatus(row.status).is_open else NOW + timedelta(days=32)
        )
    )
    reason = factory.LazyAttribute(
        lambda row: (
            marker("affiliate", "payout", number_of(row.affiliate.user))
            if row.status == PayoutStatus.REJECTED
            else ""
        )
    )
    remote_ref = factory.LazyAttribute(
        lambda row: (
            marker("affiliate", "reference", number_of(row.affiliate.user))
            if row.status == PayoutStatus.PAID
            else ""
        )
    )


class PayoutEventFactory(DjangoModelFactory):
    class Meta:
        model = PayoutEvent

    after = PayoutStatus.REQUESTED
    reason = factory.LazyAttribute(
        lambda row: marker("affiliate", "step", number_of(row.payout.affiliate.user))
    )
    at = NOW + timedelta(days=31)


class PlanVersionFactory(DjangoModelFactory):
    """``plan__brand`` must be given."""

    class Meta:
        model = CommissionPlanVersion

    plan = factory.SubFactory("tests.factories.books.PlanFactory")
    number = 1
    terms = factory.LazyFunction(dict)
    digest = "0" * 64
    effective_from = NOW


class PlanFactory(DjangoModelFactory):
    class Meta:
        model = CommissionPlan

    name = factory.Sequence(lambda number: f"Kept plan {number}")


class PolicyVersionFactory(DjangoModelFactory):
    """Far above the numbers that saving the brand gives out."""

    class Meta:
        model = AttributionPolicyVersion

    number = factory.Sequence(lambda number: 1000 + number)
    terms = factory.LazyFunction(dict)
    digest = "0" * 64
    effective_from = NOW


class DecisionOverrideFactory(DjangoModelFactory):
    class Meta:
        model = DecisionOverride

    reason = marker("staff", "reason")
    replaced = factory.LazyFunction(dict)
    at = NOW


class OrderCandidateFactory(DjangoModelFactory):
    class Meta:
        model = OrderCandidate
