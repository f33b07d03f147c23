"""Behind a router whose replica is not up to date, everything is decided as without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import connections, transaction
from django_otp.plugins.otp_totp.models import TOTPDevice
from moneyed import Money

from affiliates.contrib.claims.rules import Hints
from affiliates.contrib.claims.services import submit_claim
from affiliates.outbox.models.delivery import Delivery
from affiliates.payouts.models import Payout
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.requests import request_payout
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import InvoicePayment, Sale, SaleReversal
from portal.billing.models import Invoice, RefundKind
from portal.billing.renewals import renew_order
from portal.billing.services import mark_paid, record_refund
from portal.clients.credit import add_credit, balance_of
from portal.clients.second_factor import has_factor
from tests.factories.integrations import WebhookFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn
from tests.factories.plans import CommissionPlanFactory
from tests.factories.world import World
from tests.portal.second_factors import authenticator_of

REPLICA = "replica"


class ReadsFromReplica:
    """As a host's router may be: only tables that we do not make are left alone."""

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        is_ours = model._meta.app_label in {"affiliates", "portal"}
        return REPLICA if is_ours else None

    def db_for_write(self, model: Any, **hints: Any) -> str:
        return "default"

    def allow_relation(self, *objects: Any, **hints: Any) -> bool:
        return True


@pytest.fixture
def behind_a_router(db, settings) -> Iterator[None]:
    """The replica is so far behind that it does not even have the tables."""
    connections.settings[REPLICA] = {
        **connections.settings["default"],
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": ":memory:",
        "OPTIONS": {},
    }
    settings.DATABASE_ROUTERS = [ReadsFromReplica()]
    yield
    settings.DATABASE_ROUTERS = []
    connections[REPLICA].close()
    del connections[REPLICA], connections.settings[REPLICA]


@pytest.fixture
def world(behind_a_router, host, affiliate, now) -> World:
    CommissionPlanFactory(brand=affiliate.brand)
    return World(host=host, brand=affiliate.brand, affiliates=[affiliate], now=now)


@pytest.fixture
def invoice(world) -> Invoice:
    """Of an order that the affiliate is credited with."""
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[0])
    world.register(visitor)
    world.convert(visitor, currency="EUR", lines=[])
    return Invoice.objects.get()


def test_a_client_and_an_order_are_credited(world, affiliate, invoice):
    assert ClientReferral.objects.get().affiliate == affiliate
    referral = OrderReferral.objects.get()
    assert (referral.outcome, referral.affiliate) == ("credited", affiliate)
    assert invoice.number == "INV-000001"


def test_two_payments_and_a_refund_make_their_sales_and_a_reversal(world, invoice, now):
    WebhookFactory(brand=world.brand)
    mark_paid(invoice_id=invoice.pk, now=now)
    renewal = renew_order(order_id=invoice.order_id, now=now, is_early=True)
    mark_paid(invoice_id=renewal.pk, now=now)
    refund = {
        "invoice_id": invoice.pk,
        "gateway": "manual",
        "reference": "refund-1",
        "amount": invoice.gross,
        "kind": RefundKind.REFUND,
        "now": now,
    }
    record_refund(**refund)
    record_refund(**refund)

    assert InvoicePayment.objects.count() == 2
    assert [sale.net for sale in Sale.objects.order_by("pk")] == [
        invoice.net,
        renewal.net,
    ]
    assert [reversal.net for reversal in SaleReversal.objects.all()] == [-invoice.net]
    assert Delivery.objects.filter(operation="event").exists()


def test_a_payout_is_requested_and_approved(world, affiliate, now):
    PayoutTermsFactory(brand=world.brand)
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate, 10_000, "EUR")

    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    staff = world.host.client(world.brand, email="staff@example.com")
    approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    stored = Payout.objects.get()
    assert (stored.status, stored.amount) == ("approved", 10_000)


def test_a_claim_is_answered(world, affiliate, invoice, now):
    with transaction.atomic():
        claim, _ = submit_claim(
            affiliate=affiliate, hints=Hints(order=invoice.number), now=now
        )

    assert claim.status == "answered"


def test_account_credit_is_added_once(behind_a_router, client, now):
    for _ in range(2):
        add_credit(
            client_id=client.pk,
            amount=Money("5.00", "EUR"),
            reason="Sorry",
            reference="sorry-1",
            now=now,
        )

    assert balance_of(client.pk, currency="EUR") == Money("5.00", "EUR")


def test_a_second_factor_is_found_at_once(behind_a_router, client):
    authenticator_of(client)

    assert has_factor(client)


def test_every_table_is_read_where_it_is_written(behind_a_router):
    models = [
        model
        for label in ("affiliates", "portal")
        for model in apps.get_app_config(label).get_models()
        # django-otp's, whose rows are locked where a code is compared.
        if not issubclass(model, TOTPDevice)
    ]

    assert len(models) > 40
    assert [
        model.__name__
        for model in models
        for manager in (*model._meta.managers, model._base_manager)
        if manager.all().db != "default"
    ] == []
