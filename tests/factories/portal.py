"""Rows of the portal: people, catalogue, baskets. Invoices are made by conversion."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import factory
from django.contrib.auth.hashers import make_password
from django.db import transaction
from factory.django import DjangoModelFactory
from moneyed import Money

from portal.billing.invoicing import draft_invoice, issue_invoice
from portal.billing.models import Invoice
from portal.clients.models import User, WalletEntry
from portal.orders.catalogue import BillingCycle, Coupon, Product, ProductKind
from portal.orders.models import Order, OrderItem, PaymentDetails
from tests.factories.affiliates import BrandFactory
from tests.guard.markers import marker, name_of_account, number_of

PASSWORD = "correct-horse-battery"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class ClientFactory(DjangoModelFactory):
    """A full client of a brand, whose password is PASSWORD."""

    class Meta:
        model = User

    brand = factory.SubFactory(BrandFactory)
    # Markers count from 1: NOBODY is 0.
    email = factory.Sequence(
        lambda number: f"{marker('client', 'email', number + 1)}@example.com"
    )
    firstname = factory.LazyAttributeSequence(
        lambda row, number: marker(_kind_of(row), "firstname", number + 1)
    )
    lastname = factory.LazyAttributeSequence(
        lambda row, number: name_of_account(_kind_of(row), number + 1, email=row.email)
    )
    password = factory.LazyFunction(lambda: make_password(PASSWORD))
    created_at = NOW


def _kind_of(row: Any) -> str:
    return "staff" if getattr(row, "is_staff", False) else "client"


class GuestFactory(ClientFactory):
    email = ""
    firstname = ""
    lastname = ""
    password = factory.LazyFunction(lambda: make_password(None))
    is_guest = True


class StaffFactory(ClientFactory):
    """A superuser. Pass ``is_superuser=False`` for staff without permissions."""

    brand = None
    email = factory.Sequence(
        lambda number: f"{marker('staff', 'email', number + 1)}@example.com"
    )
    is_staff = True
    is_superuser = True


class ProductFactory(DjangoModelFactory):
    class Meta:
        model = Product

    brand = factory.SubFactory(BrandFactory)
    sku = factory.Sequence(lambda number: f"product-{number}")
    name = "Business"
    description = "For a company found online."
    kind = ProductKind.HOSTING
    billing_cycle = BillingCycle.MONTHLY
    price = Money("9.00", "EUR")
    tax_rate = Decimal("19.00")


class CouponFactory(DjangoModelFactory):
    class Meta:
        model = Coupon

    brand = factory.SubFactory(BrandFactory)
    code = factory.Sequence(lambda number: f"DISCOUNT{number}")
    percent_off = Decimal("10.00")


class WalletEntryFactory(DjangoModelFactory):
    """Account credit of 50.00 EUR."""

    class Meta:
        model = WalletEntry

    client = factory.SubFactory(ClientFactory)
    amount = 5000
    currency = "EUR"
    reason = factory.LazyAttribute(
        lambda row: marker("client", "reason", number_of(row.client))
    )
    reference = factory.Sequence(lambda number: f"staff:{number}")
    created_at = NOW


class OrderFactory(DjangoModelFactory):
    """An empty basket."""

    class Meta:
        model = Order

    client = factory.SubFactory(ClientFactory)
    brand = factory.SelfAttribute("client.brand")
    percent_off = factory.LazyAttribute(
        lambda order: order.coupon.percent_off if order.coupon else Decimal(0)
    )
    coupon = None
    created_at = NOW


class OrderItemFactory(DjangoModelFactory):
    """A line of a basket, whose order gets the product's currency."""

    class Meta:
        model = OrderItem
        skip_postgeneration_save = True

    product = factory.SubFactory(
        ProductFactory, brand=factory.SelfAttribute("..order.brand")
    )
    quantity = 1
    unit_price = factory.SelfAttribute("product.price")
    tax_rate = factory.SelfAttribute("product.tax_rate")

    @factory.post_generation
    def order_currency(self: OrderItem, create: bool, *_: object, **__: object) -> None:
        self.order.currency = self.unit_price.currency.code
        self.order.save(update_fields=["currency"])


class PaymentDetailsFactory(DjangoModelFactory):
    class Meta:
        model = PaymentDetails

    client = factory.SubFactory(ClientFactory)
    gateway = "manual"
    label = factory.LazyAttribute(
        lambda row: marker("client", "label", number_of(row.client))
    )
    created_at = NOW


@transaction.atomic
def convert_order(
    *, order_id: UUID, client_id: UUID, payment_details_id: int | None, now: datetime
) -> Invoice:
    """The order's initial invoice, made as by a conversion, without affiliates."""
    draft = draft_invoice(
        order_id=order_id,
        client_id=client_id,
        payment_details_id=payment_details_id,
        now=now,
    )
    return issue_invoice(draft)
