"""Rows that services write: referrals, payments, sales. Clients come from the host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import factory
from factory.django import DjangoModelFactory
from moneyed import Money

from affiliates.brands.rules import ClaimPolicy
from affiliates.contracts import RefundKind
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import ClientReferral, OrderCandidate, OrderReferral
from affiliates.referrals.rules.choices import Carrier, CookieState
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.identity import RegistrationStep
from affiliates.referrals.rules.stored import to_json
from affiliates.referrals.rules.types import Decision, ExternalTouch, Touch
from affiliates.sales.models import InvoicePayment, InvoiceRefund, Sale, SaleReversal
from affiliates.sales.rules import SaleReason, SaleStatus
from affiliates.visits.models import Click
from tests.factories.decisions import make_inputs
from tests.guard.markers import marker

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def touch_of(click: Click, *, is_self: bool = False) -> Touch:
    return Touch(
        carrier=Carrier.COOKIE,
        click_id=click.id,
        touched_at=click.created_at,
        affiliate_id=click.affiliate_id,
        affiliate_code=click.affiliate.code,
        status_at_visit=AffiliateStatus(click.affiliate_status),
        status_at_order=AffiliateStatus(click.affiliate.status),
        program_on_at_visit=click.own_program,
        is_bot=bool(click.bot_signs),
        is_repeat=click.is_repeat,
        is_self=is_self,
    )


def decision_of(
    *touches: Touch,
    external: Sequence[ExternalTouch] = (),
    claim_policy: ClaimPolicy = ClaimPolicy.LATEST,
    now: datetime = NOW,
) -> Decision:
    """Where clicks compete by nothing but their time. No version is stored."""
    inputs = make_inputs(
        *touches,
        external=external,
        cookie=CookieState.VALID if touches else CookieState.ABSENT,
        claim_policy=claim_policy,
        stand_down=timedelta(0),
        now=now,
    )
    unversioned = replace(inputs.policy, version_id=None, version=None)
    return decide(replace(inputs, policy=unversioned))


class ClientReferralFactory(DjangoModelFactory):
    """``client`` and ``affiliate`` must be given."""

    class Meta:
        model = ClientReferral

    brand = factory.SelfAttribute("affiliate.brand")
    click_id = UUID(int=1)
    visitor_id = UUID(int=2)
    touched_at = NOW - timedelta(days=1)
    bound_at = NOW
    step = RegistrationStep.REGISTER


class OrderReferralFactory(DjangoModelFactory):
    """Of a ``decision``, which credits nobody unless given. ``client`` must be given."""

    class Meta:
        model = OrderReferral
        skip_postgeneration_save = True

    class Params:
        made = factory.LazyFunction(decision_of)

    order_ref = factory.Sequence(lambda number: f"some-order-{number}")
    invoice_ref = factory.Sequence(lambda number: f"some-invoice-{number}")
    converted_at = NOW
    outcome = factory.LazyAttribute(lambda row: row.made.outcome)
    reason = factory.LazyAttribute(lambda row: row.made.reason)
    decision = factory.LazyAttribute(lambda row: to_json(row.made))
    affiliate_id = factory.LazyAttribute(
        lambda row: row.made.winner and row.made.winner.affiliate_id
    )
    click_id = factory.LazyAttribute(
        lambda row: row.made.winner and row.made.winner.click_id
    )
    touched_at = factory.LazyAttribute(
        lambda row: row.made.winner and row.made.winner.touched_at
    )

    @factory.post_generation
    def candidates(self, create, extracted, **given):
        """As the service records them; decisions of tests name affiliates who are not."""
        named = {one["affiliate_id"] for one in self.decision.get("candidates", ())}
        lost = named - {self.affiliate_id}
        if create and lost:
            for one in Affiliate.objects.filter(pk__in=lost):
                OrderCandidate.objects.create(affiliate=one, referral=self)


class InvoicePaymentFactory(DjangoModelFactory):
    """119.00 EUR gross for one line of 100.00 EUR net. ``brand`` must be given.

    ``discount`` was taken off the line before.
    """

    class Meta:
        model = InvoicePayment

    class Params:
        discount = "0"

    invoice_ref = factory.Sequence(lambda number: f"paid-invoice-{number}")
    order_ref = factory.Sequence(lambda number: f"paid-order-{number}")
    payment_ref = factory.Sequence(lambda number: f"some-payment-{number}")
    gross = Money("119.00", "EUR")
    lines = factory.LazyAttribute(
        lambda row: [
            {
                "description": marker("buyer", "sold"),
                "product_ref": "product-1",
                "kind": "hosting",
                "billing_cycle": "annually",
                "tld": "",
                "operation": "",
                "quantity": 2,
                "net": "100.00",
                "discount": row.discount,
                "credit": "0",
            }
        ]
    )
    paid_at = NOW + timedelta(minutes=5)
    received_at = NOW + timedelta(minutes=5)


class SaleFactory(DjangoModelFactory):
    """The sale of an ``order_referral``, with its payment."""

    class Meta:
        model = Sale

    payment = factory.SubFactory(
        InvoicePaymentFactory,
        brand=factory.SelfAttribute("..order_referral.brand"),
        invoice_ref=factory.SelfAttribute("..order_referral.invoice_ref"),
        order_ref=factory.SelfAttribute("..order_referral.order_ref"),
    )
    brand = factory.SelfAttribute("order_referral.brand")
    affiliate = factory.SelfAttribute("order_referral.affiliate")
    invoice_ref = factory.SelfAttribute("order_referral.invoice_ref")
    renewal_number = 0
    position = factory.SelfAttribute("renewal_number")
    status = SaleStatus.RECORDED
    reason = SaleReason.CREDITED
    net = Money("100.00", "EUR")
    paid_at = factory.SelfAttribute("payment.paid_at")
    recorded_at = factory.SelfAttribute("payment.received_at")


class InvoiceRefundFactory(DjangoModelFactory):
    class Meta:
        model = InvoiceRefund

    refund_ref = factory.Sequence(lambda number: f"some-refund-{number}")
    kind = RefundKind.REFUND
    gross = Money("23.80", "EUR")
    refunded_at = NOW + timedelta(days=2)
    received_at = NOW + timedelta(days=2)


class SaleReversalFactory(DjangoModelFactory):
    """The part of a ``sale`` that a refund of its invoice took back."""

    class Meta:
        model = SaleReversal

    refund = factory.SubFactory(
        InvoiceRefundFactory,
        brand=factory.SelfAttribute("..sale.brand"),
        invoice_ref=factory.SelfAttribute("..sale.invoice_ref"),
    )
    net = Money("-20.00", "EUR")
    recorded_at = factory.SelfAttribute("refund.received_at")
