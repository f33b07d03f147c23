"""Rows of the portal: people, catalogue, baskets. Invoices are made by conversion."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import factory
from django.contrib.auth.hashers import make_password
from factory.django import DjangoModelFactory
from moneyed import Money

from portal.clients.models import User
from portal.orders.models import (
    BillingCycle,
    Order,
    OrderItem,
    PaymentDetails,
    Product,
    ProductKind,
)
from tests.factories.affiliates import BrandFactory

PASSWORD = "correct-horse-battery"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class ClientFactory(DjangoModelFactory):
    """A full client of a brand, whose password is PASSWORD."""

    class Meta:
        model = User

    brand = factory.SubFactory(BrandFactory)
    email = factory.Sequence(lambda number: f"client{number}@example.com")
    firstname = "Ada"
    lastname = "Lovelace"
    password = factory.LazyFunction(lambda: make_password(PASSWORD))
    created_at = NOW


class GuestFactory(ClientFactory):
    email = ""
    firstname = ""
    lastname = ""
    password = factory.LazyFunction(lambda: make_password(None))
    is_guest = True


class StaffFactory(ClientFactory):
    """A superuser. Pass ``is_superuser=False`` for staff without permissions."""

    brand = None
    email = factory.Sequence(lambda number: f"staff{number}@example.com")
    is_staff = True
    is_superuser = True


class ProductFactory(DjangoModelFactory):
    class Meta:
        model = Product

    brand = factory.SubFactory(BrandFactory)
    sku = factory.Sequence(lambda number: f"hosting-{number}")
    name = "Business"
    description = "For a company found online."
    kind = ProductKind.HOSTING
    billing_cycle = BillingCycle.MONTHLY
    price = Money("9.00", "EUR")
    tax_rate = Decimal("19.00")


class OrderFactory(DjangoModelFactory):
    """An empty basket."""

    class Meta:
        model = Order

    client = factory.SubFactory(ClientFactory)
    brand = factory.SelfAttribute("client.brand")
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
    created_at = NOW
